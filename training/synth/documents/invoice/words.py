"""The words on invoices: labels, headings, terms of payment, the sentences around them; by language, and by country.

{rate}, {days}, {date}, {amount} and {tax_name} are filled in by whoever prints; every other slot names a list.
"""

# ruff: noqa: E501 - lists of words; broken at 120 they read no better

from functools import cache

from training.synth.documents.grammar import Rules, rules

_ENGLISH = """
name_label: Name | Company | Customer Name | Company Name
address_label: Address | Street | Billing Address
fine_print: Please read our terms and conditions overleaf. | Claims must be made within 7 days of delivery. | We reserve the right to charge interest on late payments. | Liability is limited to the value of the goods. | This invoice is subject to English law. | No receipt will be sent unless requested. | The buyer bears all bank charges. | Any dispute shall be settled by the courts of {town}. | Goods travel at the risk of the buyer.
coupon: Please detach and return with your payment | REMITTANCE ADVICE | Remittance Advice | Payment Slip | PAYMENT ADVICE | Please return this portion with your payment
title: Invoice | INVOICE | INVOICE | Tax Invoice | TAX INVOICE | Sales Invoice | Commercial Invoice | Customer Invoice | VAT Invoice | Invoice | Bill | Service Invoice
copy: Original | ORIGINAL | Duplicate | Copy | Customer Copy | Page 1 of 1 | Page 1 | Page: 1 / 1 | 1/1
invoice_id: Invoice No. | Invoice # | Invoice Number | Invoice No | Invoice | Inv. No. | INV # | Invoice ID | Invoice Ref. | Our Invoice No. | Document No. | Number | No. | Tax Invoice No. | Invoice Nr | Bill No. | Reference | Invoice #
invoice_date: Invoice Date | Date | Date of Issue | Issue Date | Issued | Invoice date | Dated | Date of Invoice | Billing Date | Date Issued | Tax Date | Tax Point | Document Date | Bill Date
due_date: Due Date | Due | Payment Due | Due date | Date Due | Pay By | Payment Due Date | Please pay by | Due on | Payable by | Invoice Due | Due By
purchase_order: PO Number | P.O. # | P.O. No. | Purchase Order | Your Order No. | PO # | Customer PO | Your PO | Order Ref. | Your Ref. / PO | PO | Purchase Order No. | P.O. Number | Your Order | Customer Order No. | Cust. P.O. | LPO No.
payment_term: Terms | Payment Terms | Terms of Payment | Payment terms | TERMS | Credit Terms | Term | Payment | Terms of payment
customer_no: Customer No. | Customer ID | Account No. | Customer # | Client No. | A/C No. | Account Number | Cust. Code | Debtor No. | Client ID | Account
order_no: Sales Order No. | Our Order | Order No. | S/O No. | Job No. | Our Ref. | Order # | Sales Order | Work Order | Job # | Quote No. | Quotation Ref. | Contract No. | Estimate # | Project No. | Ticket
order_date: Order Date | Date Ordered | PO Date | Date of Order | Quote Date
delivery_date: Delivery Date | Date of Supply | Ship Date | Service Date | Date Shipped | Date of Delivery | Delivered | Period | Start Date | Supply Date
delivery_note: Delivery Note | D/O No. | Delivery Note No. | Packing Slip | DO No. | Docket No. | Shipment No. | Waybill | AWB | Tracking No.
contact: Contact | Sales Rep | Salesperson | Your Contact | Account Manager | Prepared by | Rep | Sales Person | Issued by | Requested by | Attn. | Our Reference | Contact Person | Sold by | Handled by
method: Ship Via | Payment Method | Shipping Method | F.O.B. | Delivery Terms | Incoterms | Currency | Warehouse | Mode of Payment | Freight | Paid by
method_made: UPS Ground | Bank transfer | FedEx | EXW | Best way | BACS | Wire | {coin} Express | FCA {town} | Courier | Own transport | Check | Direct debit | Origin | DHL | Pickup | DAP
project: Project | Job | Re | Subject | Site | Regarding | Project Name | Job Description | Reference
customer_tax: Your VAT No. | Customer VAT No. | Customer Tax ID | VAT No. (Customer) | Client VAT | Buyer's GSTIN | Your Tax ID
tax_id: Tax ID | EIN | Federal Tax ID | Tax ID No. | TIN | Tax Reg. No.
other_tax_id: Company No. | Registered No. | Company Reg. No. | Registration No. | Reg. No. | DUNS | License No.
bill_to: Bill To | BILL TO | Bill to: | Invoice To | Billed To | Billing Address | Customer | Sold To | Client | To | Invoice Address | Customer Details | Billed to | SOLD TO: | Invoiced to | Recipient | Messrs | M/s | Buyer | Bill To:
from: From | FROM | Seller | Vendor | Supplier | Bill From | Issued by | Remit To | From: | Payable to | Billed by
ship_to: Ship To | SHIP TO | Deliver To | Delivery Address | Ship to: | Shipping Address | Site Address | Consignee | Delivered to | Job Site | Service Location | Ship To:
attention: Attn: {person} | Attn. {person} | c/o {person} | FAO {person} | Attention: {person} | Accounts Payable | Accounts Dept. | Mr. {person} | Ms. {person} | Dept. {n3}
pos: # | No. | Item | Line | Pos. | S/N | Sl. No. | Ln | No | Sr.
product_code: Item | Code | Item No. | SKU | Product Code | Part No. | Item # | Product | Article | Stock Code | Item Code | Part # | Ref. | Product ID | Cat. No.
description: Description | DESCRIPTION | Item Description | Description of Goods | Details | Service | Product | Item | Particulars | Item & Description | Services | Product/Service | Description of Work | Work | Activity | Item Name
quantity: Qty | QTY | Quantity | Qty. | Units | Hours | Qty/Hrs | Hrs/Qty | Ordered | Shipped | No. of Units | Quant. | Hrs
unit_column: Unit | UOM | U/M | UoM | Per | Unit of Measure | Units | UNIT
unit_price: Unit Price | UNIT PRICE | Price | Rate | Unit Cost | Price Each | Each | Price/Unit | Unit Price ({cur}) | Rate ({cur}) | Cost | Price per unit | U/Price | Hourly Rate | Net Price | Unit price excl. {tax_name}
tax_rate: {tax_name} % | {tax_name} | Tax % | Tax Rate | {tax_name} Rate | Tax | {tax_name} rate | {tax_name} (%)
discount_column: Disc. | Discount | Disc % | Disc. % | Discount % | Less
amount: Amount | AMOUNT | Total | Line Total | Amount ({cur}) | Net Amount | Total ({cur}) | Extended Price | Ext. Price | Sub Total | Net | Total Price | Amount {cur} | Value | LINE TOTAL | Net Total | Subtotal | Price | Ext. Amount
day_column: Date | Service Date | Day | Date of Service
subtotal: Subtotal | SUBTOTAL | Sub Total | Sub-total | Total excl. {tax_name} | Net Total | Net Amount | Total Net | Total (excl. {tax_name}) | Items Subtotal | Total Goods | Goods Total | Net | Subtotal less discount | Amount before {tax_name} | Taxable Amount | Total before tax | Net Invoice Amount | Sale Amount | Invoice Subtotal
discount: Discount | Less Discount | Discount ({percent}%) | Discount {percent}% | Total Discount | Trade Discount | Less: Discount | Special Discount | Invoice Discount | Customer Discount {percent}% | Rebate | Loyalty Discount
net_after: Subtotal less discount | Net after discount | Taxable | Total excl. {tax_name} | Net total | Subtotal
charge: Shipping | Shipping & Handling | Freight | Delivery | Postage & Packing | Carriage | S & H | Delivery Charge | Handling | Freight Charges | Shipping and handling | Call-out fee | Travel | Packing | Courier | Surcharge
tax: {tax_name} ({rate}%) | {tax_name} {rate}% | {tax_name} @ {rate}% | {tax_name} | {tax_name} | Total {tax_name} | {tax_name} {rate} % | {tax_name} at {rate}% | {tax_name} Total | Tax | {tax_name} Amount | {tax_name} {rate}.0% | Add: {tax_name} {rate}%
tax_base: on | of | from | net
tax_sum: Total {tax_name} | {tax_name} Total | Total Tax | {tax_name} Amount | Tax Total
tax_within: includes {tax_name} {rate}% | Incl. {tax_name} | of which {tax_name} | {tax_name} included | Includes {tax_name} of | {tax_name} included in total | Total includes {tax_name}
rate_column: Rate | {tax_name} Rate | {tax_name} % | Code
base_column: Net | Goods | Net Amount | Taxable Amount | Base
tax_column: {tax_name} | {tax_name} Amount | Tax | Amount of {tax_name}
invoice_total: Total | TOTAL | Invoice Total | Grand Total | TOTAL DUE | Total Due | Amount Due | Balance Due | Total Amount | Total incl. {tax_name} | GRAND TOTAL | Total Amount Due | Total {cur} | Total Payable | Invoice Amount | Gross Total | Total (incl. {tax_name}) | Total to pay | Please pay | Total Amount Payable | Invoice Value | Amount Payable | Total Invoice Amount
total_plain: Total | TOTAL | Invoice Total | Grand Total | Total incl. {tax_name} | Total Amount | Invoice Amount | Gross Total | Total (incl. {tax_name}) | Total {cur}
paid: Paid | Amount Paid | Less Deposit | Deposit | Payments Received | Payment | Less: Deposit Paid | Prepayment | Credits | Paid to date | Deposit received | Payments/Credits | Less Payments | Credit applied | Advance
amount_due: Amount Due | Balance Due | AMOUNT DUE | Balance | Total Due | Amount Due ({cur}) | BALANCE DUE | Outstanding | Amount Payable | Balance to pay | Outstanding Balance | Now due | Due | Net Payable | Remaining Balance
rounding: Rounding | Rounding Adj. | Round off
term_days: Net {days} | Net {days} days | {days} days | {days} Days Net | Payment within {days} days | {days} days net | Due in {days} days | Payable within {days} days | NET {days} | Strictly {days} days | {days} days from invoice date | Payment due within {days} days | {days} days from date of invoice | n/{days} | Credit {days} days | {days} DAYS | {days} days end of month | 2% 10, Net {days} | 2/10 net {days} | 1% 7 Net {days} | Within {days} days of invoice date
term_now: Due on receipt | Due upon receipt | C.O.D. | Cash on delivery | Immediate | Payment on receipt | Payable immediately | Due Upon Receipt | Prepaid | Cash | COD | On receipt of invoice | Payable on receipt | Payment in advance | Immediate payment
term_sentence: Payment is due within {days} days | Please pay within {days} days of the invoice date | Payment terms: net {days} days | Payment due within {days} days from date of invoice | All invoices are payable within {days} days | Terms: {days} days net | Payment due {days} days from invoice date | Our terms are strictly {days} days net
due_sentence: Payment is due by {date}. | Please pay by {date}. | Please make payment no later than {date}. | Payment due date: {date} | Kindly settle this invoice by {date}. | Due {date} | The amount is payable by {date}.
quote_id: Please quote invoice number {id} with your payment. | Payment reference: {id} | Please use {id} as reference. | Reference: {id} | Quote {id} when paying. | When paying please quote {id}
intro: Thank you for your order. | We invoice you as follows: | For services rendered: | Thank you for your business. | To professional services as detailed below: | Please find below our charges for the work carried out. | In accordance with your order we supplied: | Further to your instructions, our charges are as follows. | We charge for our services as agreed:
salutation: Dear Sir or Madam, | Dear {person}, | Dear Customer, | Hi {first}, | To whom it may concern,
closing: Kind regards | Yours sincerely | With thanks | Best regards | Many thanks | Yours faithfully
thanks: Thank you for your business! | THANK YOU FOR YOUR BUSINESS! | Thank you for your custom. | We appreciate your business. | Thank you! | Thank you for choosing us. | If you have any questions about this invoice, please contact us. | Questions? Call {phone} | This is a computer generated invoice. No signature is required.
note: Late payments are subject to a charge of 1.5% per month. | Goods remain our property until paid in full. | Please make all checks payable to {maker}. | E. & O.E. | Interest may be charged on overdue accounts. | All prices in {cur}. | Returns accepted within 14 days. | Title passes on payment in full. | Warranty: 12 months on parts and labour. | A finance charge of 2% applies after {n2} days. | Cheques should be crossed and made payable to the company. | Goods sold are not returnable. | Prices are subject to change without notice. | Please check the goods upon receipt. | Subject to our general terms and conditions.
bank_heading: Bank Details | Payment Details | Remittance | Bank details: | Payment Information | Wire Instructions | PAYMENT INFO | How to pay | Bank transfer | Please remit to | Payment Instructions
bank: Bank | Bank Name | Bank: | Banker
bank_name: {coin} Bank | Bank of {coin} | {family} & {family} Bank | {coin} Savings Bank | First {coin} Bank | {town} Credit Union | National {coin} Bank
holder: Account Name | A/C Name | Account holder | Beneficiary | Payee | Name
account: Account No. | A/C No. | Account Number | Acc. No. | Account | Acct #
routing: Sort Code | BSB | Routing No. | ABA | Branch Code | IFSC | Bank Code | Transit
iban: IBAN | IBAN | IBAN: | IBAN No. | IBAN Code
bic: BIC | SWIFT | SWIFT/BIC | BIC/SWIFT | Swift Code
tel: Tel | Tel. | Phone | T | Telephone | Ph | Tel: | P | Office | Mobile | Call
fax: Fax | F | Fax:
mail: Email | E | E-mail | Email: | Mail
web: Web | W | Website | www | Internet
manager: Director: {person} | Directors: {person}, {person} | Proprietor: {person} | CEO: {person} | Managing Director {person}
register: Registered in England and Wales No. {n8} | Company No. {n8} | Registered office as above | Co. Reg. No. {n9} | Registered No. {n6}
exempt: Reverse charge: customer to account for {tax_name}. | {tax_name} exempt | No {tax_name} charged | Zero rated supply | Not {tax_name} registered | Sales tax exempt | Outside the scope of {tax_name}
in_words: Amount in words: {number_words} only | {cur} {number_words} Only | Total in words: {number_words} | ({number_words} only)
number_words: {tens} thousand {tens} hundred and {tens} | {tens} hundred and {tens} | one thousand and {tens} | {tens} thousand {tens}
tens: twelve | three | five | twenty | forty | sixty-one | seven | nine | two | eleven | fifteen | eighty-four
signature: Authorised Signature | Signature | Authorized Signatory | For and on behalf of {maker} | Received by | Signed | Approved by | Customer Signature | Prepared by
paid_stamp: PAID | Paid | OVERDUE | COPY | Received with thanks
section: Materials | Labour | Services | Parts | Goods | Expenses | Phase {n} | Delivery {n4} | Travel | Order {n5}
first: Emma | Liam | Olivia | Noah | Grace | James | Sarah | Daniel | Alice | Tom | Karen | Peter | Lucy | Mark | Helen | Anil | Priya | Wei | Aisha | Robert | Susan | Michael
person: {first} {family} | {first} {family} | {first} {letter}. {family} | {letter}. {family}
unit_hours: h | hrs | hour | hours | hr | Hrs | HRS | Hours
unit_days: days | day | d
unit_goods: pcs | pcs | pc | ea | EA | each | unit | units | PCS | nos | Nos | set | box | Box | pack | pkt | roll | carton | CTN | dozen | pair | bag
unit_bulk: kg | m | m2 | sqm | ltr | l | t | ft | lb | m³ | yd | gal | tonne | KG | sq ft | sheet
unit_flat: lot | job | flat | lump sum | month | mth | LS | visit | item | week | year
trade: Consulting | Solutions | Engineering | Design | Studio | Printing | Logistics | Electrical | Plumbing & Heating | Builders | Construction | Marketing | Media | IT Services | Software | Cleaning Services | Landscaping | Interiors | Architects | Accounting | Legal | Supplies | Trading | Industries | Manufacturing | Packaging | Catering | Events | Photography | Translations | Security | Transport | Systems | Technologies | Creative | Roofing | Flooring | Carpentry | Scaffolding | Joinery | Medical Supplies | Office Supplies | Tool Hire | Machinery | Automation | Garage | Auto Repair | Pest Control | Web Design | Training | Surveyors | Foods | Wholesale | Textiles | Ceramics | Metals | Instruments | Labs
business: {coin} {trade} {suffix} | {coin} {trade} {suffix} | {family} {trade} {suffix} | {family} {trade} {suffix} | {coin} {suffix} | {family} & {family} {suffix} | {family} & {family} {trade} {suffix} | {initials} {trade} {suffix} | {adjective} {thing} {trade} {suffix} | {coin}{coin2} {suffix} | {thing} {trade} {suffix} | {family} {trade} | {coin} {trade} | {coin} {coin} {trade} {suffix} | {family} & Sons {suffix} | {town_word} {trade} {suffix} | {family}, {family} & {family} {suffix} | {person} {trade} | {coin} Group {suffix} | {coin} International {suffix} | The {thing} {trade} Co. | {initials} {suffix} | {coin} {trade} ({coin}) {suffix}
town_word: Northern | Southern | City | Metro | Coastal | Valley | Central | Harbour | Lakeside | United
service: Consulting services | Website design | Monthly maintenance | Software development | Project management | Graphic design | Installation of {thing_made} | Repair of {thing_made} | Labour | Translation services | Site visit | Hosting {coin} | Bookkeeping {month_word} | Legal advice | Photography | Training session | Cleaning of premises | Painting of {place} | Copywriting | Technical support | Transport {town_plain} | Inspection | Electrical work {place} | Plumbing {place} | Removal of waste | Garden maintenance | Audit fee | Licence {coin} Pro | Subscription {coin} | Rent of {thing_made} | Delivery | Assembly | Programming | Data analysis | Survey | Domain registration {coin_lower}.com | SEO optimisation | Design of logo | Printing of flyers | Catering for {n2} people | Callout | Travel expenses | Workshop facilitation | Security guard services | Video editing
goods: {thing_made} | {thing_made} {model} | {coin} {thing_made} | {coin} {thing_made} {model} | {thing_made} {size_made} | {thing_made}, {color} | {coin} {model} | {thing_made} type {letter} | {thing_made} {size_made} {color} | {tool} | {items_stationery} | {items_electronics} | {adjective} {thing_made} | {grocery} {size} | {tool} {coin}
thing_made: pump | steel bracket | office chair | desk | LED panel | filter cartridge | valve | control unit | cable tray | paint | toner cartridge | laptop | monitor | door handle | window frame | gasket | bearing | motor | sensor | switch | battery pack | safety gloves | pallet | carton | shelf | cabinet | lamp | heater | boiler | air conditioner | tyre | brake disc | hose | cylinder | printer | scanner | router | access point | keyboard | floor tile | plywood sheet | cement | insulation board | timber | pipe | fitting | seal kit | uniform | banner | brochure | label roll | sample kit | coffee machine | display stand | fence panel | generator | compressor | drill set | projector | headset
model: {letter}{letter}-{n3} | {letter}{n2} | {n4} | {letter}{n3}-{letter} | {n2}/{n2} | Mk {n} | v{n}.{d1} | Series {n} | {letter}{letter}{n4}
size_made: {n2} x {n2} cm | {n2} mm | {n3}x{n3} mm | {n}.5 m | {n2} kg | {n}/{n} inch | DN{n2} | {n2}W | {n3} ml | A{n} | {n2}"
place: kitchen | office | ground floor | warehouse | bathroom | roof | entrance hall | workshop | unit {n}
month_word: January | February | March | April | May | June | July | August | September | October | November | December
town_plain: {coin} - {coin} | {coin} | from {coin}
coin_lower: {family_lower}{n2} | shop{n2} | web{n3} | studio{n}
family_lower: smart | green | blue | north | bright | quick | best | pro
detail: incl. delivery | as per quotation {n5} | Serial no. {n7} | Order {n5} | Period {month_word} | as agreed | colour {color} | incl. installation | 12 months | 2 year warranty | per agreement of {month_word} | Job no. {n4} | Ref. {letter}{n5} | excl. travel | including materials and waste disposal | made to measure | for {person} | batch {n5} | customs code {n8} | weight {n2}.{n} kg | from stock
"""

_GERMAN = """
name_label: Name | Firma | Kunde
address_label: Adresse | Anschrift | Straße
fine_print: Es gelten ausschließlich unsere Verkaufs- und Lieferbedingungen. | Mängel sind innerhalb von 7 Tagen anzuzeigen. | Bei Zahlungsverzug berechnen wir Verzugszinsen in gesetzlicher Höhe. | Teilzahlungen werden zuerst auf Kosten und Zinsen angerechnet. | Die gelieferte Ware bleibt bis zur vollständigen Bezahlung Eigentum des Verkäufers. | Gerichtsstand für beide Teile ist {town}. | Nebenabreden bedürfen der Schriftform.
coupon: Zahlschein | Überweisungsträger | Empfangsschein | Zahlteil | Bitte bei Zahlung angeben
title: Rechnung | RECHNUNG | Rechnung | Rechnung | RECHNUNG | Ausgangsrechnung | Rechnung / Invoice | Honorarrechnung | Schlussrechnung | Teilrechnung | Handwerkerrechnung
copy: Original | Kopie | Seite 1 von 1 | Seite 1 | Seite: 1/1 | Blatt 1 | DUPLIKAT
invoice_id: Rechnungsnummer | Rechnung Nr. | Rechnungs-Nr. | Rechnungsnr. | Rechnung-Nr. | Re.-Nr. | Rechn.-Nr. | Rechnung | Belegnummer | Beleg-Nr. | Rg.-Nr. | Rechnungsnr | RE-Nr | Nummer | Nr. | Unsere Rechnung
invoice_date: Rechnungsdatum | Datum | Belegdatum | Rechnungsdatum | Ausstellungsdatum | Rechnung vom | vom | Rg.-Datum | Re.-Datum | Erstellt am | Datum der Rechnung
due_date: Fällig am | Fälligkeit | Zahlbar bis | Fälligkeitsdatum | zahlbar bis | Zahlungsziel | Fällig | Zahlung bis | Fällig zum | Zu zahlen bis | spätestens bis
purchase_order: Ihre Bestellung | Bestellnummer | Ihre Bestell-Nr. | Bestell-Nr. | Ihre Bestellnummer | Kundenbestellnr. | Ihre Bestellung Nr. | PO-Nummer | Ihr Auftrag | Bestellung Nr. | Best.-Nr. | Ihre Best.-Nr. | Kundenauftragsnr. | Ihr Zeichen / Bestellung
payment_term: Zahlungsbedingungen | Zahlungsbedingung | Zahlbar | Zahlungsziel | Konditionen | Zahlung | Zahlungskonditionen | Zahlungsart
customer_no: Kundennummer | Kunden-Nr. | Kundennr. | Kd.-Nr. | Debitor | Debitorennr. | Kundennr | Ihre Kundennummer | Kunde
order_no: Auftragsnummer | Auftrags-Nr. | Auftrag | Unser Auftrag | Angebotsnr. | Angebot Nr. | Vorgang | Vorgangs-Nr. | Projektnummer | Vertragsnr. | Unser Zeichen | Referenz | Aktenzeichen | Auftragsnr.
order_date: Bestelldatum | Auftragsdatum | Bestellt am | Bestellung vom | Auftrag vom
delivery_date: Lieferdatum | Leistungsdatum | Leistungszeitraum | Liefertermin | Lieferung am | Leistungsdatum | Liefer-/Leistungsdatum | Versanddatum
delivery_note: Lieferschein | Lieferschein-Nr. | Lieferscheinnr. | LS-Nr. | Lieferschein Nr. | Sendungsnr.
contact: Ansprechpartner | Sachbearbeiter | Bearbeiter | Ihr Ansprechpartner | Ihr Berater | Es schreibt Ihnen | Verkäufer | Sachbearbeiterin | Kontakt | Vertreter
method: Versandart | Lieferbedingung | Zahlungsweise | Währung | Lieferart | Versand | Zahlart | Lager | Lieferbedingungen
method_made: DHL | Überweisung | frei Haus | Paketdienst | ab Werk | Spedition | Lastschrift | Selbstabholung | EXW | UPS Standard | Rechnung | Abholung | DPD
project: Projekt | Betreff | Bauvorhaben | BV | Objekt | Betr. | Kommission | Bezeichnung | Kostenstelle
customer_tax: Ihre USt-IdNr. | USt-ID Kunde | Ihre UID | Kunden-UID | Ihre Ust-ID | UID des Empfängers
tax_id: USt-IdNr. | USt-IdNr. | USt-ID | Ust-IdNr | USt.-IdNr. | Umsatzsteuer-ID | Umsatzsteuer-Identifikationsnummer | USt-Id.Nr. | UST-ID | VAT-ID
other_tax_id: Steuernummer {n2}/{n3}/{d5} | Steuer-Nr. {n3}/{n4}/{d4} | St.-Nr. {n2}/{n3}/{d5} | StNr {n2} {n3} {d5} | HRB {n5} | Amtsgericht {town} HRB {n5} | Handelsregister {town} HRB {n4} | Gläubiger-ID DE{n2}ZZZ0000{n7}
bill_to: Rechnungsempfänger | Rechnungsadresse | Kunde | An | Rechnung an | Rechnungsanschrift | Auftraggeber | Empfänger | Firma | Leistungsempfänger
from: Rechnungssteller | Von | Absender | Lieferant | Leistungserbringer | Anbieter
ship_to: Lieferadresse | Lieferanschrift | Lieferung an | Warenempfänger | Leistungsort | Versandadresse | Lieferort | Baustelle
attention: z. Hd. {person} | z.Hd. Frau {family} | z. H. Herrn {family} | Herrn {person} | Frau {person} | Abt. Einkauf | Buchhaltung | Kreditorenbuchhaltung | Abteilung {n3}
pos: Pos. | Pos | Nr. | Position | # | Lfd. Nr. | Pos.Nr.
product_code: Art.-Nr. | Artikelnummer | Artikel-Nr. | Artikelnr. | Art.Nr. | Artikel | Produktnr. | Material | Best.-Nr. | Art-Nr | Leistung | Bestellnr. | Code
description: Bezeichnung | Beschreibung | Leistung | Artikelbezeichnung | Artikel | Text | Leistungsbeschreibung | Produkt | Bezeichnung / Leistung | Tätigkeit | Warenbezeichnung | BEZEICHNUNG | Artikel/Leistung | Position
quantity: Menge | Anzahl | Menge | Stunden | Anz. | Stk. | MENGE | Std. | Stück | Mge. | Menge/Std.
unit_column: Einheit | Einh. | ME | EH | Eh. | Mengeneinheit | Einheit
unit_price: Einzelpreis | E-Preis | Preis | Einzelpreis {cur} | EP | Einzel | Stückpreis | Preis/Einheit | Einzelpr. | Einzelpreis netto | EP ({cur}) | Stundensatz | Preis in {cur} | Preis/Einh. | E-Preis {cur} | VK-Preis
tax_rate: {tax_name} | {tax_name} % | USt. | {tax_name}-Satz | Steuer | USt % | St. % | {tax_name} (%) | Steuersatz
discount_column: Rabatt | Rab. % | Rabatt % | Nachlass | Rab. | % Rabatt
amount: Gesamtpreis | Gesamt | Betrag | Summe | G-Preis | Gesamtpreis {cur} | Betrag {cur} | Gesamtbetrag | GP | Gesamt {cur} | Netto | Nettobetrag | Positionspreis | Betrag in {cur} | Preis | Summe netto | Gesamt netto | Betrag EUR
day_column: Datum | Tag | Leistungsdatum
subtotal: Nettobetrag | Zwischensumme | Summe netto | Netto | Summe | Nettosumme | Gesamt netto | Summe Positionen | Warenwert | Gesamtbetrag netto | Netto-Betrag | Rechnungsbetrag netto | Zwischensumme (netto) | Nettowert | Total netto | Zw.-Summe | Gesamtsumme netto | Summe (netto) | Warenwert netto
discount: Rabatt | Rabatt {percent}% | abzgl. Rabatt | Nachlass | {percent} % Rabatt | abzüglich {percent} % Nachlass | Gesamtrabatt | Treuerabatt | Sonderrabatt {percent}% | ./. Rabatt | Preisnachlass
net_after: Nettobetrag nach Rabatt | Zwischensumme | Netto | Steuerpflichtiger Betrag | Nettobetrag
charge: Versandkosten | Versand | Fracht | Porto und Verpackung | Versand und Verpackung | Verpackung | Anfahrt | Lieferkosten | Fracht/Verpackung | Frachtkosten | Porto | Versandpauschale | Mindermengenzuschlag
tax: {tax_name} {rate}% | {rate}% {tax_name} | zzgl. {rate}% {tax_name} | {tax_name} {rate} % | zzgl. {tax_name} {rate}% | Umsatzsteuer {rate} % | {tax_name} | {rate} % {tax_name} | + {rate}% {tax_name} | {tax_name} {rate},00 % | Mehrwertsteuer {rate}% | zuzüglich {rate}% {tax_name} | Umsatzsteuer | {tax_name} ({rate}%) | {tax_name}-Betrag
tax_base: auf | von | aus | netto
tax_sum: Summe {tax_name} | {tax_name} gesamt | {tax_name}-Betrag | Steuerbetrag | Gesamt {tax_name}
tax_within: enthaltene {tax_name} {rate}% | inkl. {rate}% {tax_name} | darin enthalten {tax_name} {rate} % | enth. {tax_name} | Enthaltene Mehrwertsteuer {rate} % | incl. {tax_name}
rate_column: Satz | {tax_name} % | Steuersatz | St.
base_column: Netto | Nettobetrag | Basis | Nettowert
tax_column: {tax_name} | Steuer | {tax_name}-Betrag | Steuerbetrag
invoice_total: Gesamtbetrag | Rechnungsbetrag | Gesamtsumme | Endbetrag | Brutto | Bruttobetrag | Summe | Gesamt | Zu zahlen | Zahlbetrag | Gesamtbetrag brutto | GESAMTBETRAG | Rechnungssumme | Gesamtbetrag {cur} | Rechnungsbetrag brutto | Total | Endsumme | Summe brutto | Gesamt brutto | Gesamtsumme inkl. {tax_name} | zu zahlender Betrag | Gesamtbetrag inkl. {tax_name}
total_plain: Gesamtbetrag | Rechnungsbetrag | Gesamtsumme | Endbetrag | Bruttobetrag | Gesamtbetrag brutto | Rechnungssumme | Summe brutto | Brutto
paid: Anzahlung | abzgl. Anzahlung | bereits bezahlt | geleistete Anzahlung | abzüglich Abschlagszahlung | Bezahlt | Vorauszahlung | bereits gezahlt | ./. Anzahlung | 1. Abschlag | erhaltene Zahlung
amount_due: Zahlbetrag | Restbetrag | noch zu zahlen | Offener Betrag | Zu zahlen | Zahllast | Verbleibender Betrag | zu zahlender Betrag | Restzahlung | Restforderung | Noch offen | Zahlbetrag {cur}
rounding: Rundung | Rundungsdifferenz
term_days: {days} Tage netto | {days} Tage | Zahlbar innerhalb von {days} Tagen | zahlbar innerhalb {days} Tagen | innerhalb von {days} Tagen ohne Abzug | {days} Tage ohne Abzug | netto {days} Tage | Zahlbar binnen {days} Tagen netto | {days} Tage rein netto | innerhalb {days} Tage netto Kasse | {days} Tage nach Rechnungsdatum | Zahlungsziel {days} Tage | 10 Tage 2% Skonto, {days} Tage netto | 7 Tage 3 % Skonto, {days} Tage netto | {days} Tage ab Rechnungsdatum | 8 Tage 2 % {days} Tage netto
term_now: sofort | sofort ohne Abzug | Sofort fällig | sofort rein netto | Zahlbar sofort ohne Abzug | Vorkasse | Barzahlung | per Nachnahme | sofort nach Erhalt | zahlbar nach Erhalt | Zahlung per Lastschrift | bei Lieferung | zahlbar sofort
term_sentence: Zahlbar innerhalb von {days} Tagen ohne Abzug | Zahlbar innerhalb {days} Tagen nach Rechnungserhalt ohne Abzug | Zahlungsziel: {days} Tage ab Rechnungsdatum | Bitte überweisen Sie den Betrag innerhalb von {days} Tagen | Zahlbar innerhalb von {days} Tagen netto | Zahlungsbedingungen: {days} Tage netto | Bei Zahlung innerhalb von 10 Tagen 2 % Skonto, {days} Tage netto | Der Rechnungsbetrag ist innerhalb von {days} Tagen zu zahlen | Die Zahlung ist innerhalb von {days} Tagen fällig
due_sentence: Bitte überweisen Sie den Rechnungsbetrag bis zum {date}. | Zahlbar bis {date} ohne Abzug. | Der Betrag ist fällig am {date}. | Wir bitten um Zahlung bis {date}. | Zahlbar bis spätestens {date} | Bitte zahlen Sie bis zum {date} auf unser Konto. | Fällig bis {date}
quote_id: Bitte geben Sie bei der Überweisung die Rechnungsnummer {id} an. | Verwendungszweck: {id} | Bitte bei Zahlung angeben: {id} | Verwendungszweck Rechnung {id} | Bei Zahlung bitte Re.-Nr. {id} angeben
intro: vielen Dank für Ihren Auftrag. Wir berechnen Ihnen wie folgt: | wir erlauben uns, Ihnen folgende Leistungen in Rechnung zu stellen: | für unsere Lieferungen und Leistungen berechnen wir: | Wir stellen Ihnen folgende Positionen in Rechnung: | hiermit stellen wir Ihnen unsere Leistungen wie folgt in Rechnung. | Gemäß Ihrem Auftrag lieferten wir: | Unsere Lieferungen/Leistungen stellen wir Ihnen wie folgt in Rechnung.
salutation: Sehr geehrte Damen und Herren, | Sehr geehrter Herr {family}, | Sehr geehrte Frau {family}, | Hallo {first}, | Guten Tag,
closing: Mit freundlichen Grüßen | Freundliche Grüße | Mit freundlichem Gruß | Viele Grüße | MfG
thanks: Vielen Dank für Ihren Auftrag! | Wir danken für Ihren Auftrag. | Vielen Dank für die gute Zusammenarbeit. | Wir bedanken uns für Ihr Vertrauen. | Bei Rückfragen stehen wir Ihnen gerne zur Verfügung. | Diese Rechnung wurde maschinell erstellt und ist ohne Unterschrift gültig.
note: Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum. | Es gelten unsere Allgemeinen Geschäftsbedingungen. | Das Leistungsdatum entspricht dem Rechnungsdatum. | Sofern nicht anders angegeben, entspricht das Lieferdatum dem Rechnungsdatum. | Gerichtsstand ist {town}. | Steuernummer: {n2}/{n3}/{d5} | Reklamationen innerhalb von 8 Tagen. | Bitte Rechnung 2 Jahre aufbewahren. | Erfüllungsort und Gerichtsstand ist {town}. | Alle Preise in {cur}.
bank_heading: Bankverbindung | Bankverbindung: | Unsere Bankverbindung | Zahlungsinformationen | Überweisung an | Bankdaten | Konto
bank: Bank | Bank: | Kreditinstitut | Bankinstitut
bank_name: Sparkasse {town} | Volksbank {town} | {coin} Bank | Raiffeisenbank {town} | {coin}bank AG | Stadtsparkasse {town} | VR Bank {coin} | Kreissparkasse {town}
holder: Kontoinhaber | Inhaber | Empfänger | Kontoinh.
account: Konto-Nr. | Kto. | Konto | Kontonummer | Kto.-Nr.
routing: BLZ | Bankleitzahl
iban: IBAN | IBAN | IBAN: | IBAN-Nr.
bic: BIC | SWIFT-BIC | BIC/SWIFT | BIC:
tel: Tel. | Telefon | Tel | Fon | T | Tel.: | Mobil | Telefon:
fax: Fax | Telefax | F | Fax:
mail: E-Mail | Mail | eMail | E-Mail: | E
web: Web | Internet | www | Homepage | Web:
manager: Geschäftsführer: {person} | Geschäftsführer {person}, {person} | Inhaber: {person} | Vorstand: {person} | GF: {person} | Inhaberin {person}
register: Amtsgericht {town} HRB {n5} | HRB {n4} {town} | Registergericht: {town} | AG {town} HRB {n6} | Handelsregister {town} HRA {n4} | Sitz der Gesellschaft: {town}
exempt: Gemäß § 19 UStG wird keine Umsatzsteuer berechnet. | Steuerschuldnerschaft des Leistungsempfängers (Reverse Charge) | Umsatzsteuerfrei nach § 4 UStG | Kein Ausweis von Umsatzsteuer (Kleinunternehmer) | Steuerfreie innergemeinschaftliche Lieferung
in_words: in Worten: {tens}hundert{tens} | i. W. {tens}tausend{tens}
tens: zwölf | drei | fünf | zwanzig | vierzig | sieben | neun | zwei | elf
signature: Unterschrift | Datum, Unterschrift | Stempel / Unterschrift | Betrag dankend erhalten | Ware erhalten
paid_stamp: BEZAHLT | Bezahlt | KOPIE | Betrag erhalten | GEBUCHT
section: Material | Arbeitszeit | Lohn | Dienstleistungen | Ersatzteile | Lieferschein {n5} | Titel {n} | Fahrtkosten | Leistung {month_word}
first: Anna | Peter | Klaus | Sabine | Jürgen | Petra | Michael | Monika | Stefan | Ute | Thomas | Karin | Lukas | Julia | Emma | Jonas | Markus | Heike | Andreas | Birgit | Florian | Lena
person: {first} {family} | {first} {family} | {letter}. {family} | Dipl.-Ing. {first} {family} | Dr. {first} {family}
unit_hours: Std. | h | Std | Stunden | Stunde | Std.
unit_days: Tage | Tag | PT | Tag(e)
unit_goods: Stk. | Stück | St. | Stk | Stck. | St | Paar | Set | Pkg. | Pack | Karton | Rolle | VE | Satz | Fl. | Dose | Kiste | Pck.
unit_bulk: kg | m | m² | lfm | l | t | qm | lfd. m | m³ | g | km | Liter | cbm
unit_flat: pauschal | Psch. | psch | Pauschale | Monat | Mon. | Jahr | Auftrag | Lizenz | Woche
trade: Elektrotechnik | Sanitär & Heizung | Bau | Dachdeckerei | Malerbetrieb | Tischlerei | Schreinerei | Metallbau | Maschinenbau | IT-Systeme | Software | Werbeagentur | Druckerei | Spedition | Logistik | Gebäudereinigung | Gartenbau | Architekten | Ingenieurbüro | Consulting | Unternehmensberatung | Steuerberatung | Rechtsanwälte | Bürotechnik | Großhandel | Handel | Vertrieb | Verlag | Medien | Design | Fotografie | Übersetzungen | Autohaus | Kfz-Werkstatt | Landtechnik | Baustoffe | Fliesen | Fenster und Türen | Haustechnik | Kältetechnik | Medizintechnik | Veranstaltungstechnik | Catering | Getränke | Lebensmittel | Werkzeuge | Verpackungen | Kunststofftechnik | Textil | Möbel | Solartechnik | Services | Immobilien | Labor
business: {coin} {trade} {suffix} | {coin} {trade} {suffix} | {family} {trade} {suffix} | {family} {trade} {suffix} | {trade} {family} | {trade} {family} {suffix} | {coin} {suffix} | {family} & {family} {suffix} | {family} & Sohn {suffix} | {initials} {trade} {suffix} | {first} {family} {trade} | {trade} {first} {family} | {coin}{coin2} {suffix} | {coin} {trade} | {family} {suffix} | Gebr. {family} {suffix} | {family}, {family} & Partner | {coin} Gruppe {suffix} | {trade} {coin} {suffix} | {town} {trade} {suffix} | {initials} {suffix} | {person}
service: Wartung {thing_made} | Beratung | Montage {thing_made} | Reparatur {thing_made} | Arbeitsstunden Geselle | Arbeitszeit Meister | Programmierung | Webdesign | Anfahrtspauschale | Installation {thing_made} | Grafikdesign | Übersetzung | Reinigung {place} | Malerarbeiten {place} | Projektleitung | Hosting {coin} | Support | Schulung | Fahrtkosten | Entsorgung | Lieferung frei Haus | Transport {town} | Lizenzgebühr {coin} | Monatspauschale {month_word} | Buchhaltung {month_word} | Gartenpflege | Fotoarbeiten | Miete {thing_made} | Prüfung {thing_made} | Demontage | Elektroinstallation {place} | Fliesenarbeiten {place} | Konzeption und Planung | Druck Flyer | Texterstellung | Datenpflege | Dachrinne reinigen | Ölwechsel | Inspektion | Honorar | Verpackung und Versand
goods: {thing_made} | {thing_made} {model} | {thing_made} {coin} | {thing_made} {coin} {model} | {thing_made} {size_made} | {thing_made}, {color_made} | {coin} {model} | {thing_made} {size_made} {color_made} | {items_general} | {thing_made} Typ {letter} | {thing_made} {adjective_made} | {grocery} | {thing_made} inkl. Zubehör
thing_made: Umwälzpumpe | Bürostuhl | Schreibtisch | LED-Panel | Filterpatrone | Ventil | Steuergerät | Kabelkanal | Wandfarbe | Tonerkartusche | Notebook | Monitor | Türdrücker | Fensterrahmen | Dichtung | Kugellager | Motor | Sensor | Schalter | Akku | Schutzhandschuhe | Europalette | Karton | Regal | Schrank | Leuchte | Heizkörper | Heizungsanlage | Reifen | Bremsscheibe | Schlauch | Drucker | Router | Tastatur | Bodenfliese | Sperrholzplatte | Zement | Dämmplatte | Rohr | Fitting | Arbeitskleidung | Werbebanner | Broschüre | Etiketten | Kaffeemaschine | Messestand | Zaunelement | Kompressor | Bohrer-Set | Waschtischarmatur | Gipskartonplatte | Schraubensatz | Netzteil | Kopierpapier
adjective_made: verzinkt | Edelstahl | weiß | lackiert | komplett | nach Maß | groß | klein | blank
color_made: schwarz | weiß | grau | blau | rot | anthrazit | silber | beige
model: {letter}{letter}-{n3} | {letter}{n2} | {n4} | {letter}{n3}-{letter} | {n2}/{n2} | Typ {n3} | {letter}{letter} {n4}
size_made: {n2} x {n2} cm | {n2} mm | {n3}x{n3} mm | {n},5 m | {n2} kg | DN {n2} | {n2} W | {n3} ml | DIN A{n} | M{n}x{n2}
place: Küche | Büro | Erdgeschoss | Lager | Bad | Treppenhaus | Werkstatt | Halle {n} | Keller
month_word: Januar | Februar | März | April | Mai | Juni | Juli | August | September | Oktober | November | Dezember
detail: inkl. Lieferung | gemäß Angebot {n5} | Serien-Nr. {n7} | Lieferschein {n5} | Zeitraum {month_word} | wie vereinbart | Farbe {color_made} | inkl. Montage | 12 Monate | 2 Jahre Garantie | laut Vereinbarung | Auftrag {n4} | Charge {letter}{n5} | inkl. Kleinmaterial und Entsorgung | Sonderanfertigung | Ihre Bestellung vom {d1}.{n}. | Zolltarifnr. {n8} | Gewicht {n2},{n} kg | ab Lager | Objekt {coin}
"""

_FRENCH = """
name_label: Nom | Société | Raison sociale
address_label: Adresse | Rue | Adresse postale
fine_print: Aucun escompte ne sera accordé en cas de paiement anticipé. | Les marchandises restent la propriété du vendeur jusqu'au paiement complet. | Toute réclamation doit être formulée dans les huit jours. | En cas de litige, le tribunal de {town} est seul compétent. | Des pénalités seront exigibles le jour suivant la date de règlement. | Nos prix s'entendent hors taxes.
coupon: Coupon à joindre à votre règlement | Bulletin de versement | À détacher et à joindre au paiement | Récépissé | Papillon de paiement
title: Facture | FACTURE | Facture | FACTURE | Facture | Facture de vente | Facture client | Facture d'honoraires | FACTURE ORIGINALE
copy: Original | Duplicata | Page 1/1 | Page 1 sur 1 | Page : 1 | Copie
invoice_id: Facture n° | N° de facture | Facture N° | Numéro de facture | N° facture | Facture | Numéro | Facture no | N° | Réf. facture | N° de pièce | Facture numéro | Référence
invoice_date: Date de facture | Date | Date de facturation | Date d'émission | Date facture | Émise le | Le | Facture du | Date : | Date de la facture
due_date: Date d'échéance | Échéance | Échéance le | À payer avant le | Date limite de paiement | Payable le | À régler avant le | Date d'échéance | Échéance : | Paiement avant le
purchase_order: N° de commande | Bon de commande | Votre commande | Commande n° | Votre n° de commande | Réf. commande | N° BC | Votre référence | Commande client | Bon de commande n°
payment_term: Conditions de paiement | Conditions de règlement | Règlement | Paiement | Modalités de paiement | Mode de règlement | Conditions | Délai de paiement
customer_no: N° client | Code client | Client n° | Référence client | Compte client | Numéro client | Réf. client
order_no: Devis n° | Notre référence | N° d'affaire | Dossier | N° dossier | Contrat n° | Affaire | N° devis | Notre réf. | Chantier n° | Intervention n°
order_date: Date de commande | Commande du | Date devis | Devis du
delivery_date: Date de livraison | Livré le | Date de prestation | Date d'expédition | Date d'intervention | Période
delivery_note: Bon de livraison | BL n° | N° BL | Bon de livraison n° | N° d'expédition
contact: Contact | Votre interlocuteur | Commercial | Vendeur | Suivi par | Affaire suivie par | Représentant | Dossier suivi par | Établi par
method: Mode de livraison | Transporteur | Mode de paiement | Devise | Incoterm | Port | Dépôt
method_made: Virement | Franco | Chèque | Départ | Chronopost | DPD | Espèces | Prélèvement | Carte bancaire | Enlèvement | Virement bancaire | EXW
project: Objet | Projet | Chantier | Concerne | Affaire | Référence chantier | Désignation
customer_tax: Votre n° TVA | N° TVA client | TVA client | N° TVA intracom. client
tax_id: N° TVA | TVA intracommunautaire | N° TVA intracommunautaire | N° de TVA | TVA | N° TVA Intracom. | TVA Intra. | N° d'identification TVA
other_tax_id: SIRET {n3} {d3} {d3} {d5} | SIRET : {n14} | RCS {town} {n3} {d3} {d3} | Siren {n9} | APE {n4}Z | Code NAF {n4}A | R.C.S. {town} {letter} {n9} | SIRET {n14} - APE {n4}B
bill_to: Facturé à | Adresse de facturation | Client | À l'attention de | Destinataire | Facturer à | Doit | Client : | Adressé à | CLIENT
from: Émetteur | De | Vendeur | Fournisseur | Prestataire | Société
ship_to: Adresse de livraison | Livré à | Livraison | Lieu de livraison | Adresse du chantier | Lieu d'intervention | Expédié à
attention: À l'attention de {person} | A l'att. de M. {family} | M. {person} | Mme {person} | Service comptabilité | Service achats | c/o {person}
pos: N° | # | Pos. | Ligne | Poste
product_code: Référence | Réf. | Code | Code article | Article | Réf | N° article | Code produit | REF
description: Désignation | Description | Libellé | Désignation des produits | Prestation | Produit | Détail | DÉSIGNATION | Article | Nature des prestations | Objet | Désignation / Prestation
quantity: Quantité | Qté | Qté. | QTÉ | Quant. | Nb | Heures | Nombre | Qte
unit_column: Unité | U | Un. | Unité | U.
unit_price: Prix unitaire | P.U. HT | PU HT | Prix unitaire HT | P.U. | Prix U. HT | PU | Prix unit. | Prix HT | Tarif | P.U. ({cur}) | Montant unitaire | Taux horaire
tax_rate: TVA | TVA % | Taux TVA | % TVA | Tx TVA | Taux | TVA (%)
discount_column: Remise | Rem. % | Remise % | % Rem. | Rem.
amount: Montant HT | Total HT | Montant | Total | Prix total | Total ligne | Montant H.T. | Prix total HT | MONTANT HT | Total HT ({cur}) | Montant net | Sous-total | Montant {cur} | Total {cur}
day_column: Date | Jour
subtotal: Total HT | Sous-total | Montant HT | Total H.T. | Sous-total HT | TOTAL HT | Total hors taxes | Montant total HT | Net HT | Montant hors taxe | Total brut HT | Base HT | Total marchandises
discount: Remise | Remise {percent}% | Remise globale | Remise commerciale | Rabais | Escompte {percent}% | Remise exceptionnelle | Remise ({percent} %) | Rabais {percent} %
net_after: Total net HT | Net HT | Net commercial | Total HT après remise | Base imposable
charge: Frais de port | Port | Transport | Livraison | Frais d'expédition | Frais de livraison | Déplacement | Port et emballage | Participation transport | Frais de dossier
tax: TVA {rate}% | TVA {rate} % | TVA ({rate}%) | Montant TVA | TVA | Total TVA | TVA à {rate}% | T.V.A. {rate} % | TVA {rate},00 % | T.V.A. | Taxe ({rate}%)
tax_base: sur | de | base
tax_sum: Total TVA | Montant TVA | TVA totale | Total taxes | Montant total TVA
tax_within: dont TVA {rate}% | TVA incluse | dont TVA | Dont TVA ({rate} %)
rate_column: Taux | Taux TVA | TVA % | Code
base_column: Base HT | Base | Montant HT | Base imposable
tax_column: Montant TVA | TVA | Taxe
invoice_total: Total TTC | Net à payer | TOTAL TTC | Montant TTC | Total | Total à payer | Montant total TTC | Total T.T.C. | NET A PAYER | Total TTC ({cur}) | Montant à payer | Net à payer TTC | Total toutes taxes comprises | TOTAL | Somme due | Total général | Solde dû | Montant dû
total_plain: Total TTC | TOTAL TTC | Montant TTC | Total T.T.C. | Montant total TTC | Total TTC ({cur}) | Total
paid: Acompte | Acompte versé | Déjà réglé | Acompte reçu | Montant payé | Acompte déduit | Payé | Règlement reçu | Avance
amount_due: Net à payer | Reste à payer | Solde dû | Solde à payer | NET À PAYER | Montant dû | Reste dû | Solde | À payer
rounding: Arrondi
term_days: {days} jours | {days} jours net | {days} jours fin de mois | Paiement à {days} jours | {days} jours date de facture | À {days} jours | Virement à {days} jours | {days} jours nets | Règlement à {days} jours | Net {days} jours | {days} jours à réception de facture | {days} jours fin de mois le 10 | Virement {days} jours
term_now: À réception | Paiement à réception | À réception de facture | Comptant | Paiement comptant | Au comptant | Paiement immédiat | À la commande | Payable à réception | Chèque à réception | Contre remboursement | Paiement à la livraison
term_sentence: Paiement à {days} jours date de facture | Règlement à {days} jours | Payable sous {days} jours | Facture payable dans un délai de {days} jours | Conditions de paiement : {days} jours net | Paiement par virement sous {days} jours | Paiement dans les {days} jours à compter de la date de facture
due_sentence: À régler avant le {date}. | Paiement à effectuer au plus tard le {date}. | Merci de régler avant le {date}. | Payable le {date} | Échéance : {date} | Date limite de règlement : {date}
quote_id: Merci de rappeler le numéro de facture {id} lors du règlement. | Référence à rappeler : {id} | Communication : {id} | Libellé du virement : {id} | Référence du paiement : {id}
intro: Nous vous prions de trouver ci-dessous le détail de notre facture : | Suite à votre commande, nous vous facturons : | Veuillez trouver ci-dessous le détail de nos prestations. | Pour les prestations suivantes : | Conformément à notre devis :
salutation: Madame, Monsieur, | Cher client, | Bonjour, | Monsieur {family}, | Madame {family},
closing: Cordialement | Veuillez agréer nos salutations distinguées | Sincères salutations | Bien cordialement
thanks: Merci de votre confiance. | Nous vous remercions de votre confiance. | Merci pour votre commande. | Nous restons à votre disposition pour toute information. | Merci !
note: En cas de retard de paiement, une indemnité forfaitaire de 40 € sera due. | Pas d'escompte pour règlement anticipé. | TVA non applicable, art. 293 B du CGI. | Pénalités de retard : 3 fois le taux d'intérêt légal. | Réserve de propriété jusqu'au paiement intégral. | Les marchandises voyagent aux risques du destinataire. | Membre d'une association agréée, le règlement par chèque est accepté. | Nos conditions générales de vente s'appliquent. | Tout retard entraîne des pénalités au taux de 10 %.
bank_heading: Coordonnées bancaires | Coordonnées bancaires : | RIB | Règlement par virement | Banque | Informations de paiement | Virement à
bank: Banque | Banque : | Domiciliation
bank_name: Crédit {coin} | Banque {coin} | Caisse {coin} | Banque Populaire {coin} | BP {town} | Crédit Mutuel {town}
holder: Titulaire | Bénéficiaire | Titulaire du compte
account: N° de compte | Compte | Compte n°
routing: Code banque | Guichet | Clearing
iban: IBAN | IBAN | IBAN : | N° IBAN
bic: BIC | BIC/SWIFT | SWIFT | BIC :
tel: Tél. | Tél | Tel | Téléphone | Tél. : | T. | Port. | Mobile
fax: Fax | Télécopie | Fax :
mail: E-mail | Email | Courriel | Mail | Mél
web: Site | Web | Internet | www | Site web
manager: Gérant : {person} | Gérante {person} | Président : {person} | Direction : {person}
register: RCS {town} {n9} | SARL au capital de {n}.000 € | SAS au capital de {n2} 000 € | R.C.S. {town} B {n3} {d3} {d3} | Capital {n} 500 EUR | Registre du commerce {town}
exempt: TVA non applicable, art. 293 B du CGI | Autoliquidation de la TVA | Exonération de TVA | Exonéré de TVA, art. 262 ter I du CGI | Non assujetti à la TVA
in_words: Arrêté la présente facture à la somme de {tens} cents euros | Soit {tens} mille {tens} euros
tens: douze | trois | cinq | vingt | quarante | sept | neuf | deux | onze
signature: Signature | Bon pour accord | Signature et cachet | Le gérant | Cachet de l'entreprise
paid_stamp: PAYÉ | Payée | ACQUITTÉE | Facture acquittée | COPIE
section: Fournitures | Main d'œuvre | Prestations | Matériel | BL n° {n5} | Lot {n} | Déplacements
first: Marie | Jean | Pierre | Sophie | Luc | Camille | Julie | Nicolas | Claire | Paul | Hélène | Léa | Hugo | Chloé | Philippe | Isabelle | Mathieu | Sandrine | Olivier | Nathalie
person: {first} {family} | {first} {family} | {letter}. {family}
unit_hours: h | heure | heures | H | hre
unit_days: jour | jours | j | J
unit_goods: pce | pièce | u | U | unité | pcs | lot | boîte | carton | rouleau | paire | sac | ens. | paquet | bte
unit_bulk: kg | m | m² | ml | l | t | m³ | km | m2 | litre
unit_flat: forfait | forf. | ft | mois | ens | F | an | semaine
trade: Conseil | Bâtiment | Électricité | Plomberie | Menuiserie | Peinture | Maçonnerie | Informatique | Imprimerie | Transports | Nettoyage | Paysages | Architecture | Ingénierie | Communication | Design | Photographie | Traductions | Distribution | Fournitures | Négoce | Industrie | Mécanique | Automobiles | Chauffage | Toitures | Carrelage | Services | Solutions | Médical | Traiteur | Événements | Formation | Sécurité | Emballages | Textiles | Mobilier | Développement | Logistique | Énergie | Jardins | Rénovation | Studio | Web | Laboratoires | Équipements | Gestion | Maintenance
business: {coin} {trade} | {suffix} {coin} {trade} | {suffix} {family} | {suffix} {family} {trade} | {family} {trade} {suffix} | {trade} {family} | {coin} {suffix} | {family} et Fils | {family} & {family} {suffix} | {initials} {trade} {suffix} | {coin} {trade} {suffix} | Ets {family} | Établissements {family} | Entreprise {family} | {first} {family} | {first} {family} {trade} | Société {coin} {trade} | {coin}{coin2} {suffix} | Groupe {coin} | Cabinet {family} | Atelier {coin} | {trade} {coin} {suffix} | {trade} {town} {suffix}
service: Prestation de conseil | Création de site web | Maintenance mensuelle | Main d'œuvre | Installation {thing_made} | Réparation {thing_made} | Développement | Gestion de projet | Traduction | Déplacement | Hébergement {coin} | Formation | Nettoyage {place} | Peinture {place} | Pose de {thing_made} | Entretien {place} | Honoraires | Transport {town} | Location {thing_made} | Étude technique | Rédaction | Dépannage | Travaux d'électricité {place} | Plomberie {place} | Évacuation des gravats | Abonnement {coin} | Licence {coin} | Conception graphique | Impression de flyers | Reportage photo | Assistance technique | Révision | Livraison | Création de logo | Entretien espaces verts {month_word} | Comptabilité {month_word}
goods: {thing_made} | {thing_made} {model} | {thing_made} {coin} | {thing_made} {coin} {model} | {thing_made} {size_made} | {thing_made} {color_made} | {coin} {model} | {thing_made} {size_made} {color_made} | {items_general} | {thing_made} type {letter} | {grocery} | {thing_made} réf. {n4}
thing_made: pompe | chaise de bureau | bureau | dalle LED | cartouche filtrante | vanne | boîtier de commande | chemin de câbles | peinture | cartouche toner | ordinateur portable | écran | poignée de porte | châssis | joint | roulement | moteur | capteur | interrupteur | batterie | gants de protection | palette | carton | étagère | armoire | lampe | radiateur | chaudière | pneu | disque de frein | tuyau | imprimante | routeur | clavier | carrelage | contreplaqué | ciment | panneau isolant | raccord | vêtement de travail | banderole | brochure | étiquettes | machine à café | présentoir | clôture | compresseur | coffret | mitigeur | plaque de plâtre | câble | ramette papier
color_made: noir | blanc | gris | bleu | rouge | anthracite | beige | vert
model: {letter}{letter}-{n3} | {letter}{n2} | {n4} | {letter}{n3}-{letter} | {n2}/{n2} | mod. {n3}
size_made: {n2} x {n2} cm | {n2} mm | {n3}x{n3} mm | {n},5 m | {n2} kg | DN {n2} | {n2} W | {n3} ml | A{n}
place: cuisine | bureau | rez-de-chaussée | entrepôt | salle de bain | escalier | atelier | bâtiment {letter}
month_word: janvier | février | mars | avril | mai | juin | juillet | août | septembre | octobre | novembre | décembre
detail: livraison incluse | selon devis {n5} | N° de série {n7} | BL {n5} | période {month_word} | comme convenu | couleur {color_made} | pose comprise | 12 mois | garantie 2 ans | suivant accord | chantier {coin} | lot {letter}{n5} | fournitures et évacuation comprises | sur mesure | poids {n2},{n} kg | origine France
"""

_SPANISH = """
name_label: Nombre | Razón social | Empresa
address_label: Dirección | Domicilio | Direcc.
fine_print: Las reclamaciones deberán presentarse en los ocho días siguientes. | Los gastos de devolución serán por cuenta del cliente. | Para cualquier litigio serán competentes los tribunales de {town}. | Se aplicarán intereses de demora según la ley. | La mercancía viaja por cuenta y riesgo del comprador. | De acuerdo con el RGPD sus datos se tratan con fines de facturación.
coupon: Resguardo de pago | Talón de pago | Adjunte este cupón a su pago | Comprobante de pago
title: Factura | FACTURA | Factura | FACTURA | Factura de venta | Factura comercial | FACTURA ORIGINAL | Factura de servicios
copy: Original | Copia | Página 1 de 1 | Pág. 1 | Hoja 1 | Duplicado | Pág.: 1/1
invoice_id: Factura Nº | Nº de factura | Nº factura | Número de factura | Factura | Factura núm. | Núm. factura | N.º de factura | Número | Nº | Factura número | Factura No. | Num. Factura | Documento
invoice_date: Fecha | Fecha de factura | Fecha factura | Fecha de emisión | Fecha de expedición | Fecha emisión | Emitida el | Fecha: | Fecha de la factura
due_date: Fecha de vencimiento | Vencimiento | Vence | Fecha vencimiento | Vto. | Pagar antes del | Vencimientos | Fecha límite de pago | Vence el
purchase_order: Nº de pedido | Su pedido | Pedido | Orden de compra | Pedido Nº | Su pedido nº | Núm. pedido | Nº pedido cliente | Orden de compra No. | O.C. | Su referencia | Pedido cliente
payment_term: Forma de pago | Condiciones de pago | Condiciones | Plazo de pago | Pago | Términos de pago | Forma pago | Términos
customer_no: Nº cliente | Cliente Nº | Código cliente | Cód. cliente | Cliente núm. | Cuenta cliente | Código
order_no: Presupuesto | Presupuesto nº | Nuestra ref. | Expediente | Nº obra | Proyecto | Contrato | Nº presupuesto | Referencia | Orden de trabajo | Su ref.
order_date: Fecha pedido | Fecha de pedido | Fecha presupuesto
delivery_date: Fecha de entrega | Fecha entrega | Fecha operación | Fecha de servicio | Fecha envío | Periodo
delivery_note: Albarán | Nº albarán | Albarán nº | Alb. | Remisión | Guía
contact: Contacto | Comercial | Vendedor | Agente | Atendido por | Representante | Su contacto | Persona de contacto | Elaboró
method: Forma de envío | Transporte | Moneda | Portes | Agencia | Método de pago | Almacén | Uso CFDI
method_made: Transferencia | Portes pagados | MRW | SEUR | Recibo domiciliado | Efectivo | Debidos | Contado | Transferencia bancaria | Pagados | Nuestros medios | G03 Gastos en general
project: Asunto | Proyecto | Obra | Concepto | Referencia | Trabajo
customer_tax: CIF cliente | NIF cliente | NIF/CIF del cliente | Su N.I.F. | RFC cliente
tax_id: NIF | CIF | C.I.F. | N.I.F. | CIF/NIF | NIF: | CIF: | NIF-IVA
other_tax_id: Reg. Merc. {town} Tomo {n4} Folio {n2} Hoja {letter}-{n5} | Inscrita en el R.M. de {town}, T. {n4}, F. {n3} | Nº REA {n8} | R.M. {town} Tomo {n4} | R.I. {n6}
bill_to: Cliente | Facturar a | Datos del cliente | Facturado a | CLIENTE | Destinatario | Dirección de facturación | Datos de facturación | Cliente: | Sr./Sres. | Receptor
from: Emisor | De | Proveedor | Datos del emisor | Vendedor | Empresa
ship_to: Dirección de envío | Enviar a | Lugar de entrega | Dirección de entrega | Entregar en | Domicilio de entrega
attention: A/A {person} | At. {person} | A la atención de {person} | D. {person} | Dña. {person} | Dpto. Contabilidad | Administración
pos: Nº | # | Pos. | Línea | Lín.
product_code: Referencia | Ref. | Código | Artículo | Cód. | Código artículo | Clave | Cód. Art. | REF
description: Descripción | Concepto | Artículo | DESCRIPCIÓN | Detalle | Producto | Servicio | Denominación | CONCEPTO | Descripción del servicio | Producto / Servicio
quantity: Cantidad | Cant. | Uds. | CANTIDAD | Unidades | Horas | Cant | Unid.
unit_column: Unidad | Ud. | U.M. | Un. | Medida | Unidad
unit_price: Precio | Precio unitario | P. Unit. | Precio ud. | P. unitario | PRECIO | Precio/Ud. | Precio unit. | P.U. | Valor unitario | Precio hora | Importe unitario | Precio ({cur})
tax_rate: IVA | % IVA | IVA % | Tipo IVA | I.V.A. | IVA (%)
discount_column: Dto. | % Dto. | Dto. % | Descuento | Desc. | DTO
amount: Importe | Total | IMPORTE | Subtotal | Importe ({cur}) | Importe neto | TOTAL | Total {cur} | Importe total | Neto | Valor
day_column: Fecha | Día
subtotal: Base imponible | Subtotal | BASE IMPONIBLE | Suma | Total bruto | Importe bruto | Base Imponible | Importe neto | SUBTOTAL | Total neto | Base | Suma importes | Neto | Total (sin IVA)
discount: Descuento | Dto. {percent}% | Descuento {percent}% | Dto. comercial | Dto. pronto pago {percent}% | Descuento ({percent}%) | Total descuento | Bonificación
net_after: Base imponible | Neto | Importe neto | Base
charge: Portes | Gastos de envío | Transporte | Desplazamiento | Envío | Embalaje | Gastos de transporte | Flete
tax: IVA {rate}% | IVA ({rate}%) | IVA {rate} % | Cuota IVA | I.V.A. {rate}% | IVA | {rate}% IVA | Total IVA | IVA {rate},00% | Importe IVA | I.V.A. {rate} %
tax_base: sobre | de | base
tax_sum: Total IVA | Cuota IVA | Importe IVA | Total impuestos | Cuota total
tax_within: IVA incluido | Incluye IVA {rate}% | de los cuales IVA | IVA incluido ({rate}%)
rate_column: % IVA | Tipo | IVA % | Tipo IVA
base_column: Base imponible | Base | Base imp.
tax_column: Cuota | Cuota IVA | Importe IVA | IVA
invoice_total: Total | TOTAL | Total factura | TOTAL FACTURA | Total a pagar | Importe total | TOTAL A PAGAR | Total {cur} | Total Factura | Total con IVA | Líquido a pagar | Importe a pagar | Total general | TOTAL EUROS | Total (IVA incl.) | Importe líquido
total_plain: Total | TOTAL | Total factura | TOTAL FACTURA | Importe total | Total {cur} | Total con IVA
paid: Anticipo | A cuenta | Entregado a cuenta | Pagado | Retención IRPF 15% | Anticipos | Pago a cuenta | Ya pagado | IRPF 15% | Retención 7%
amount_due: Total a pagar | Líquido a percibir | Pendiente de pago | Saldo pendiente | Importe pendiente | A pagar | Resto a pagar | Total a percibir | Pendiente | TOTAL A PAGAR
rounding: Redondeo
term_days: {days} días | {days} días fecha factura | Transferencia a {days} días | Recibo a {days} días | {days} días f.f. | Giro {days} días | Pago a {days} días | {days} días neto | A {days} días | Confirming {days} días | {days} días naturales | Neto {days} días | Crédito {days} días
term_now: Contado | Al contado | A la vista | Pago al contado | Pago inmediato | Contra reembolso | A la recepción | Pago anticipado | Contado rigoroso | Transferencia al contado | Efectivo a la entrega
term_sentence: Pago a {days} días fecha factura | El pago se realizará en un plazo de {days} días | Pagadero a {days} días | Condiciones de pago: {days} días | Transferencia bancaria a {days} días fecha factura | Plazo de pago: {days} días desde la fecha de factura
due_sentence: Rogamos abonen el importe antes del {date}. | Vencimiento: {date} | A pagar antes del {date}. | Fecha límite de pago: {date} | Vence el {date} | El pago debe efectuarse antes del {date}.
quote_id: Indique el número de factura {id} en la transferencia. | Concepto: {id} | Referencia de pago: {id} | Por favor, indique {id} al pagar.
intro: Por los servicios prestados: | Adjuntamos el detalle de los trabajos realizados: | Según su pedido les facturamos: | Conforme a lo acordado facturamos los siguientes conceptos: | Detalle de los servicios:
salutation: Estimado cliente: | Muy señores nuestros: | Estimada {first}: | Estimado Sr. {family}:
closing: Atentamente | Un cordial saludo | Saludos cordiales | Reciba un saludo
thanks: Gracias por su confianza. | Muchas gracias por su compra. | ¡Gracias! | Gracias por confiar en nosotros. | Quedamos a su disposición para cualquier consulta.
note: La mercancía sigue siendo propiedad del vendedor hasta su pago total. | No se admiten devoluciones pasados 15 días. | En cumplimiento de la LOPD sus datos están incluidos en un fichero. | Operación asegurada. | Precios en {cur}. | Inversión del sujeto pasivo art. 84 LIVA. | Efectos fiscales al pago. | Este documento es una representación impresa de un CFDI.
bank_heading: Datos bancarios | Datos bancarios: | Cuenta bancaria | Domiciliación bancaria | Forma de pago | Transferencia a | Ingresar en
bank: Banco | Entidad | Banco: | Caja
bank_name: Banco {coin} | Caja {coin} | {coin}bank | Caja Rural de {coin} | Banco de {coin} | Caixa {coin}
holder: Titular | Beneficiario | A nombre de
account: Nº de cuenta | Cuenta | C.C.C. | Cta. | Cuenta No.
routing: Oficina | Sucursal | CLABE | Entidad
iban: IBAN | IBAN | IBAN: | Cuenta IBAN
bic: BIC | SWIFT | BIC/SWIFT
tel: Tel. | Teléfono | Tfno. | Telf. | Tel | Tlf. | Móvil | T.
fax: Fax | Fax:
mail: E-mail | Email | Correo | Mail | Correo electrónico
web: Web | www | Página web
manager: Administrador: {person} | Gerente: {person} | Director {person}
register: Inscrita en el Registro Mercantil de {town}, Tomo {n4}, Folio {n3} | Reg. Merc. de {town}, hoja {letter}-{n5} | R.M. {town} T {n4} F {n2} S 8
exempt: Operación exenta de IVA | Exento de IVA según art. 20 | Inversión del sujeto pasivo | Entrega intracomunitaria exenta | IVA no incluido
in_words: Son: {tens} mil {tens} euros | Importe en letra: {tens} cientos {tens} | ({tens} MIL {tens} PESOS 00/100 M.N.)
tens: doce | tres | cinco | veinte | cuarenta | siete | nueve | dos | once
signature: Firma | Firma y sello | Recibí | Conforme | Fdo. {person}
paid_stamp: PAGADO | Pagada | COBRADO | COPIA
section: Materiales | Mano de obra | Servicios | Albarán {n5} | Capítulo {n} | Desplazamientos
first: María | José | Carmen | Antonio | Ana | Juan | Laura | Luis | Francisco | Marta | Javier | Lucía | Rosa | Pilar | Miguel | Elena | Carlos | Raquel
person: {first} {family} {family} | {first} {family} | {first} {family}
unit_hours: h | horas | hora | hrs | H
unit_days: días | día | jornada
unit_goods: ud | uds | Ud. | Uds. | unidad | caja | pza | pieza | rollo | par | kit | pack | PZA | paquete | saco | bote
unit_bulk: kg | m | m² | m2 | l | ml | t | m³ | km | litro
unit_flat: PA | mes | servicio | año | global | P.A. | Servicio | visita
trade: Construcciones | Instalaciones | Reformas | Electricidad | Fontanería | Carpintería | Pinturas | Informática | Sistemas | Consultores | Asesores | Gestión | Diseño | Imprenta | Artes Gráficas | Transportes | Logística | Limpiezas | Jardinería | Ingeniería | Arquitectos | Comunicación | Fotografía | Traducciones | Suministros | Distribuciones | Comercial | Industrial | Maquinaria | Talleres | Automoción | Climatización | Servicios | Soluciones | Eventos | Formación | Seguridad | Embalajes | Textiles | Muebles | Energía | Alimentación | Hostelería | Estudio | Laboratorios | Cerámicas | Metales | Publicidad
business: {coin} {trade} {suffix} | {trade} {coin} {suffix} | {trade} {family} {suffix} | {trade} {family} | {family} {family} {suffix} | {coin} {suffix} | {family} e Hijos {suffix} | {initials} {trade} {suffix} | {first} {family} {family} | {trade} {family} y {family} {suffix} | {coin}{coin2} {suffix} | Grupo {coin} {suffix} | {trade} y {trade} {coin} {suffix} | Hermanos {family} {suffix} | {coin} {trade} | {trade} del {thing} {suffix} | {trade} {town_plain} {suffix}
town_plain: del Norte | del Sur | Levante | {coin}
service: Servicios de consultoría | Diseño página web | Mantenimiento mensual | Mano de obra | Instalación {thing_made} | Reparación {thing_made} | Desarrollo de software | Gestión de proyecto | Traducción | Desplazamiento | Hosting {coin} | Formación | Limpieza {place} | Pintura {place} | Montaje {thing_made} | Asesoría fiscal {month_word} | Honorarios profesionales | Transporte {coin} | Alquiler {thing_made} | Estudio técnico | Redacción de textos | Reparación de avería | Trabajos de electricidad {place} | Fontanería {place} | Retirada de escombros | Suscripción {coin} | Licencia {coin} | Diseño gráfico | Impresión folletos | Reportaje fotográfico | Asistencia técnica | Revisión | Envío | Diseño de logotipo | Mantenimiento jardín {month_word}
goods: {thing_made} | {thing_made} {model} | {thing_made} {coin} | {thing_made} {coin} {model} | {thing_made} {size_made} | {thing_made} {color_made} | {coin} {model} | {thing_made} {size_made} {color_made} | {items_general} | {thing_made} tipo {letter} | {grocery} | {thing_made} ref. {n4}
thing_made: Bomba | Silla de oficina | Mesa | Panel LED | Cartucho filtro | Válvula | Cuadro eléctrico | Canaleta | Pintura plástica | Tóner | Ordenador portátil | Monitor | Manilla | Marco ventana | Junta | Rodamiento | Motor | Sensor | Interruptor | Batería | Guantes | Palet | Caja cartón | Estantería | Armario | Lámpara | Radiador | Caldera | Neumático | Disco de freno | Manguera | Impresora | Router | Teclado | Baldosa | Tablero | Cemento | Panel aislante | Tubo | Racor | Ropa laboral | Lona | Folletos | Etiquetas | Cafetera | Expositor | Valla | Compresor | Grifo | Placa de yeso | Cable | Papel A4
color_made: negro | blanco | gris | azul | rojo | verde | beige
model: {letter}{letter}-{n3} | {letter}{n2} | {n4} | {letter}{n3}-{letter} | {n2}/{n2} | mod. {n3}
size_made: {n2} x {n2} cm | {n2} mm | {n3}x{n3} mm | {n},5 m | {n2} kg | DN {n2} | {n2} W | {n3} ml | A{n}
place: cocina | oficina | planta baja | almacén | baño | escalera | taller | nave {n}
month_word: enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre | octubre | noviembre | diciembre
detail: portes incluidos | según presupuesto {n5} | Nº serie {n7} | Albarán {n5} | periodo {month_word} | según acuerdo | color {color_made} | instalación incluida | 12 meses | garantía 2 años | obra {coin} | lote {letter}{n5} | materiales incluidos | a medida | peso {n2},{n} kg
"""

_ITALIAN = """
name_label: Ragione sociale | Nome | Denominazione
address_label: Indirizzo | Via | Sede
fine_print: Eventuali reclami devono pervenire entro otto giorni. | In caso di ritardato pagamento saranno addebitati gli interessi di mora. | Per ogni controversia è competente il foro di {town}. | La merce viaggia a rischio e pericolo del committente. | I dati personali sono trattati ai sensi del GDPR. | Non si accettano resi se non autorizzati.
coupon: Tagliando di pagamento | Ricevuta di versamento | Da allegare al pagamento | Avviso di pagamento
title: Fattura | FATTURA | Fattura | FATTURA | Fattura di vendita | Fattura immediata | Fattura accompagnatoria | Fattura differita | Parcella
copy: Originale | Copia | Pagina 1 di 1 | Pag. 1 | Pag. 1/1 | Copia cliente | Copia di cortesia
invoice_id: Fattura n. | N. fattura | Fattura N. | Numero fattura | Numero | Fattura n° | Nr. fattura | N. documento | N° | Fattura nr. | Fattura | Numero documento | N. Doc. | Fatt. n.
invoice_date: Data | del | Data fattura | Data documento | Data emissione | Data Doc. | Data di emissione | Emessa il | Fattura del
due_date: Scadenza | Data scadenza | Scadenza pagamento | Da pagare entro | Scad. | Scadenze | Pagamento entro il | Entro il
purchase_order: Ordine n. | Vs. ordine | Vostro ordine | N. ordine | Rif. ordine | Ordine cliente | Vs. ordine n. | Riferimento ordine | Vs. rif. | Ordine d'acquisto
payment_term: Pagamento | Condizioni di pagamento | Modalità di pagamento | Termini di pagamento | Cond. pagamento | Condizioni pagamento | Termini
customer_no: Codice cliente | Cod. cliente | Cliente n. | Cod. Cli. | Codice | N. cliente
order_no: Preventivo n. | Commessa | Ns. rif. | Pratica | Contratto | Offerta n. | Rif. interno | Ns. ordine | Progetto
order_date: Data ordine | Ordine del | Data preventivo
delivery_date: Data consegna | Data trasporto | Consegna | Data prestazione | Periodo
delivery_note: DDT n. | D.D.T. | Rif. DDT | Bolla n. | DDT
contact: Referente | Agente | Riferimento | Contatto | Operatore | Vs. contatto | Responsabile
method: Porto | Trasporto a mezzo | Valuta | Vettore | Causale | Spedizione | Aspetto dei beni | Codice destinatario
method_made: Franco | Mittente | Vendita | Assegnato | Vettore | Cartoni | BRT | Destinatario | Bonifico | Contanti | {letter}{letter}{n}{letter}{n3}
project: Oggetto | Progetto | Cantiere | Causale | Riferimento | Commessa
customer_tax: P.IVA cliente | Partita IVA cliente | P. IVA / C.F. cliente | C.F. cliente
tax_id: P.IVA | P. IVA | Partita IVA | P.Iva | P.IVA/C.F. | Part. IVA | C.F. e P.IVA | P.I. | Partita Iva
other_tax_id: C.F. {n11} | REA {town} {n6} | R.E.A. {n6} | Cod. Fisc. {n11} | Reg. Imprese {town} {n11} | Cap. Soc. € {n2}.000,00 i.v. | SDI {letter}{letter}{n}{letter}{n3}
bill_to: Cliente | Spett.le | Destinatario | Spett. | Intestatario | Fatturare a | Cessionario | CLIENTE | Spettabile | Committente
from: Fornitore | Da | Cedente | Mittente | Emittente | Cedente / prestatore
ship_to: Destinazione | Luogo di consegna | Destinazione merce | Indirizzo di consegna | Luogo di destinazione | Consegna a
attention: Alla c.a. {person} | c.a. {person} | Att.ne {person} | Sig. {person} | Sig.ra {person} | Ufficio Amministrazione
pos: N. | # | Pos. | Riga | Nr.
product_code: Codice | Cod. | Articolo | Cod. art. | Codice articolo | Rif. | CODICE | Cod. Articolo
description: Descrizione | DESCRIZIONE | Descrizione dei beni | Prodotto/Servizio | Natura e qualità dei beni | Prestazione | Descrizione articolo | Articolo | Oggetto | Beni e servizi
quantity: Quantità | Q.tà | Qtà | QTA | Q.ta' | Ore | Quant.
unit_column: U.M. | UM | Unità | U.M | Un.
unit_price: Prezzo unitario | Prezzo | Prezzo un. | P. Unit. | Importo unitario | Prezzo Unit. | Pr. unitario | Prezzo ({cur}) | Tariffa | Prezzo netto
tax_rate: IVA | % IVA | IVA % | Aliq. | Aliquota | Cod. IVA | Aliq. IVA
discount_column: Sconto | Sc. % | Sconto % | Sc. | % Sc.
amount: Importo | Totale | IMPORTO | Importo ({cur}) | Prezzo totale | Imponibile | Totale {cur} | Importo netto | Totale riga | Tot.
day_column: Data | Giorno
subtotal: Imponibile | Totale imponibile | Subtotale | Totale merce | Totale netto | IMPONIBILE | Netto merce | Totale righe | Tot. imponibile | Importo netto | Totale imponibile {cur} | Base imponibile
discount: Sconto | Sconto {percent}% | Sconto incondizionato | Sconto cassa {percent}% | Totale sconti | Sconto finale | Abbuono | Sconto merce
net_after: Totale imponibile | Netto | Imponibile netto | Totale scontato
charge: Spese di trasporto | Trasporto | Spese di spedizione | Spese incasso | Spese varie | Imballo | Spese bancarie | Contributo spese | Bollo
tax: IVA {rate}% | IVA {rate} % | Totale IVA | IVA | Imposta | IVA ({rate}%) | I.V.A. {rate}% | Importo IVA | Totale imposta | Tot. IVA | IVA al {rate}% | I.V.A.
tax_base: su | di | imponibile
tax_sum: Totale IVA | Tot. imposta | Totale imposta | IVA totale
tax_within: IVA inclusa | di cui IVA | di cui IVA {rate}% | IVA compresa
rate_column: Aliquota | % IVA | Aliq. | IVA %
base_column: Imponibile | Base imponibile | Imponibile {cur}
tax_column: Imposta | IVA | Importo IVA
invoice_total: Totale | Totale fattura | TOTALE FATTURA | Totale documento | TOTALE | Totale a pagare | Totale da pagare | TOTALE DOCUMENTO | Totale {cur} | Importo totale | Tot. fattura | Netto a pagare | TOTALE A PAGARE | Tot. documento | Totale complessivo | Totale IVA inclusa
total_plain: Totale | Totale fattura | TOTALE FATTURA | Totale documento | Importo totale | Tot. fattura | Totale {cur}
paid: Acconto | Ritenuta d'acconto 20% | Anticipo | Già versato | Acconto ricevuto | Rit. d'acconto | Pagato | Acconti | Ritenuta
amount_due: Netto a pagare | Totale da pagare | Saldo | Da pagare | NETTO A PAGARE | Importo da pagare | Residuo | Saldo dovuto | Netto da pagare
rounding: Arrotondamento
term_days: {days} gg | {days} giorni | Bonifico {days} gg d.f. | {days} gg data fattura | Ri.Ba. {days} gg f.m. | {days} gg f.m. | Bonifico bancario {days} gg | RB {days} gg D.F.F.M. | Pagamento a {days} giorni | B.B. {days} gg fine mese | A {days} giorni | {days} giorni netti | Bonifico a {days} giorni
term_now: Rimessa diretta | Vista fattura | Bonifico a vista | Contanti | Pagamento immediato | Bonifico anticipato | Contrassegno | A vista | Bonifico vista fattura | Alla consegna | Pagamento alla consegna
term_sentence: Pagamento a {days} giorni data fattura | Pagamento entro {days} giorni dalla data della fattura | Da saldare entro {days} giorni | Condizioni di pagamento: {days} giorni | Bonifico bancario entro {days} giorni | Il pagamento è da effettuarsi entro {days} giorni
due_sentence: Si prega di pagare entro il {date}. | Scadenza: {date} | Pagamento entro il {date}. | Da versare entro il {date} | Scadenza pagamento {date} | Il saldo è dovuto entro il {date}.
quote_id: Causale: {id} | Indicare nella causale il numero {id} | Causale bonifico: fattura {id} | Rif. pagamento: {id}
intro: Per le prestazioni di seguito elencate: | Vi fatturiamo quanto segue: | In riferimento al Vs. ordine, Vi addebitiamo: | Dettaglio delle prestazioni svolte: | Per i lavori eseguiti:
salutation: Egregi Signori, | Gentile cliente, | Spettabile Ditta, | Gent.mo Sig. {family},
closing: Cordiali saluti | Distinti saluti | Cordialmente
thanks: Grazie per la fiducia. | Grazie per averci scelto. | Vi ringraziamo per l'ordine. | Restiamo a disposizione per qualsiasi chiarimento.
note: Contributo CONAI assolto ove dovuto. | La merce viaggia a rischio del committente. | Operazione senza applicazione dell'IVA ai sensi dell'art. 1 L. 190/2014. | Imposta di bollo assolta in modo virtuale. | Trascorsi 8 giorni dal ricevimento non si accettano reclami. | Foro competente: {town}. | Copia analogica della fattura elettronica inviata allo SdI.
bank_heading: Coordinate bancarie | Coordinate bancarie: | Banca d'appoggio | Dati per il pagamento | Bonifico su | Ns. banca
bank: Banca | Banca: | Istituto
bank_name: Banca {coin} | Banca Popolare di {town} | Cassa di Risparmio di {town} | Credito {coin} | BCC {coin} | Banco di {town}
holder: Intestato a | Beneficiario | Intestatario
account: C/C | Conto n. | C/C n. | Conto corrente
routing: ABI | CAB | ABI {n5} CAB
iban: IBAN | IBAN | IBAN: | Cod. IBAN
bic: BIC | SWIFT | BIC/SWIFT | BIC:
tel: Tel. | Telefono | Tel | T. | Cell. | Tel.: | Tel./Fax
fax: Fax | Fax.
mail: E-mail | Email | Mail | PEC | e-mail:
web: Web | Sito | www | Sito web
manager: Titolare: {person} | Amministratore: {person} | Legale rappresentante {person}
register: Reg. Imprese {town} n. {n11} | R.E.A. {n6} | Cap. Soc. € {n2}.000 i.v. | Iscr. CCIAA {town} {n6} | REA {letter}{letter}-{n6}
exempt: Esente IVA art. 10 DPR 633/72 | Non imponibile art. 41 DL 331/93 | Inversione contabile art. 17 DPR 633/72 | Operazione in regime forfettario | Fuori campo IVA
in_words: Diconsi euro {tens}mila{tens} | In lettere: {tens}cento{tens}/00
tens: dodici | tre | cinque | venti | quaranta | sette | nove | due | undici
signature: Firma | Firma del conducente | Firma destinatario | Timbro e firma | Per accettazione
paid_stamp: PAGATO | Pagata | COPIA | SALDATO
section: Materiali | Manodopera | Servizi | Rif. DDT {n4} | Lavori | Trasferte
first: Mario | Luigi | Anna | Giulia | Marco | Paola | Giovanni | Carla | Franco | Lucia | Sofia | Andrea | Chiara | Roberto | Francesca | Stefano | Elena | Matteo
person: {first} {family} | {first} {family} | Dott. {first} {family} | Ing. {first} {family} | Arch. {first} {family}
unit_hours: h | ore | ora | ORE | H
unit_days: gg | giorni | giorno | gg.
unit_goods: pz | PZ | nr | n. | NR | pz. | cf | CF | conf. | scatola | paia | kit | rotolo | N. | sacco | set | N
unit_bulk: kg | m | mq | ml | l | t | mc | KG | km | MT | lt | m²
unit_flat: a corpo | mese | forfait | anno | corpo | mesi
trade: Costruzioni | Impianti | Edilizia | Elettroimpianti | Idraulica | Falegnameria | Tinteggiature | Informatica | Sistemi | Consulenza | Studio | Grafica | Tipografia | Trasporti | Logistica | Pulizie | Giardini | Ingegneria | Architetti | Comunicazione | Fotografia | Traduzioni | Forniture | Distribuzione | Commerciale | Industriale | Macchine | Officine | Autoricambi | Climatizzazione | Servizi | Soluzioni | Eventi | Formazione | Imballaggi | Tessuti | Arredamenti | Energia | Alimentari | Ceramiche | Metalli | Pubblicità | Meccanica | Serramenti | Laboratori | Ambiente
business: {coin} {trade} {suffix} | {coin} {suffix} | {trade} {coin} {suffix} | {trade} {family} {suffix} | {family} {trade} {suffix} | {family} {first} | {family} {suffix} | {coin}{coin2} {suffix} | {initials} {trade} {suffix} | F.lli {family} {suffix} | {family} & {family} {suffix} | Ditta {family} {first} | Studio {family} | Studio Tecnico {first} {family} | Gruppo {coin} {suffix} | {family} {trade} di {first} {family} | Officina {family} {suffix} | {coin} Italia {suffix} | {trade} {town} {suffix}
service: Consulenza | Realizzazione sito web | Manutenzione mensile | Manodopera | Installazione {thing_made} | Riparazione {thing_made} | Sviluppo software | Gestione progetto | Traduzione | Trasferta | Hosting {coin} | Corso di formazione | Pulizia {place} | Tinteggiatura {place} | Montaggio {thing_made} | Contabilità {month_word} | Onorario | Trasporto {town} | Noleggio {thing_made} | Progettazione | Redazione testi | Intervento tecnico | Lavori elettrici {place} | Lavori idraulici {place} | Smaltimento | Abbonamento {coin} | Licenza {coin} | Progetto grafico | Stampa volantini | Servizio fotografico | Assistenza tecnica | Revisione | Consegna | Sopralluogo | Canone {month_word} | Manutenzione giardino
goods: {thing_made} | {thing_made} {model} | {thing_made} {coin} | {thing_made} {coin} {model} | {thing_made} {size_made} | {thing_made} {color_made} | {coin} {model} | {thing_made} {size_made} {color_made} | {items_general} | {thing_made} tipo {letter} | {grocery} | {thing_made} art. {n4}
thing_made: Pompa | Sedia ufficio | Scrivania | Pannello LED | Cartuccia filtro | Valvola | Centralina | Canalina | Pittura | Toner | Notebook | Monitor | Maniglia | Serramento | Guarnizione | Cuscinetto | Motore | Sensore | Interruttore | Batteria | Guanti | Pallet | Scatola | Scaffale | Armadio | Lampada | Radiatore | Caldaia | Pneumatico | Disco freno | Tubo | Stampante | Router | Tastiera | Piastrella | Pannello | Cemento | Isolante | Raccordo | Abbigliamento da lavoro | Striscione | Brochure | Etichette | Macchina caffè | Espositore | Recinzione | Compressore | Rubinetto | Cartongesso | Cavo | Risma carta | Vite
color_made: nero | bianco | grigio | blu | rosso | verde | beige
model: {letter}{letter}-{n3} | {letter}{n2} | {n4} | {letter}{n3}-{letter} | {n2}/{n2} | mod. {n3}
size_made: {n2} x {n2} cm | {n2} mm | {n3}x{n3} mm | {n},5 m | {n2} kg | DN {n2} | {n2} W | {n3} ml | A{n}
place: cucina | ufficio | piano terra | magazzino | bagno | scala | officina | capannone {n}
month_word: gennaio | febbraio | marzo | aprile | maggio | giugno | luglio | agosto | settembre | ottobre | novembre | dicembre
detail: trasporto incluso | come da preventivo {n5} | Matricola {n7} | DDT {n5} | periodo {month_word} | come concordato | colore {color_made} | posa inclusa | 12 mesi | garanzia 2 anni | cantiere {coin} | lotto {letter}{n5} | materiale incluso | su misura | peso {n2},{n} kg
"""

_PORTUGUESE = """
name_label: Nome | Razão social | Empresa
address_label: Morada | Endereço | Rua
fine_print: As reclamações devem ser apresentadas no prazo de oito dias. | Em caso de atraso serão cobrados juros de mora. | Para qualquer litígio é competente o foro de {town}. | A mercadoria viaja por conta e risco do comprador. | Os bens permanecem propriedade do vendedor até pagamento integral.
coupon: Talão de pagamento | Recibo do sacado | Destaque e junte ao pagamento | Aviso de pagamento
title: Fatura | FATURA | Fatura | Factura | FATURA | Fatura-Recibo | Fatura/Recibo | FACTURA | Fatura Original
copy: Original | Duplicado | Página 1 de 1 | Pág. 1/1 | 2ª via | Pág. 1
invoice_id: Fatura n.º | Fatura nº | Nº da fatura | Número da fatura | N.º Fatura | Fatura N.º | Fatura | Nº Documento | Número | Documento nº | Factura nº | Doc. nº
invoice_date: Data | Data da fatura | Data de emissão | Data emissão | Data do documento | Emitida em | Data Doc. | Data de Emissão
due_date: Vencimento | Data de vencimento | Data vencimento | Vence em | Pagar até | Data limite de pagamento | Venc. | Pagamento até
purchase_order: Encomenda | V/ Encomenda | N.º de encomenda | Pedido de compra | Nº do pedido | Ordem de compra | Requisição n.º | V. Requisição | Sua encomenda | Pedido nº | Nota de encomenda
payment_term: Condições de pagamento | Cond. Pagamento | Condição de pagamento | Pagamento | Prazo de pagamento | Forma de pagamento | Cond. pag.
customer_no: N.º cliente | Cliente nº | Código cliente | Cód. Cliente | Conta cliente | Cliente
order_no: Orçamento nº | N/ Referência | Processo | Obra | Contrato nº | Proposta | Ordem de serviço | OS nº | N. Ref.
order_date: Data da encomenda | Data do pedido | Data enc.
delivery_date: Data de entrega | Data do serviço | Data de carga | Data de saída | Período
delivery_note: Guia de remessa | Guia nº | G. Remessa | Guia de transporte
contact: Contacto | Vendedor | Contato | Comercial | Atendido por | Responsável | Emitido por
method: Expedição | Moeda | Transporte | Armazém | Modo de expedição | Natureza da operação
method_made: Transferência | N/ viatura | CTT | Boleto | Pix | V/ viatura | Venda | Multibanco | Entrega | Correio | EUR
project: Assunto | Projeto | Obra | Referência | Objeto | Descrição
customer_tax: Contribuinte cliente | NIF cliente | V/ N.º Contrib. | CNPJ do cliente | V. Contribuinte
tax_id: NIF | Contribuinte | NIPC | N.º Contribuinte | Contribuinte n.º | NIF: | N.I.F.
other_tax_id: Cap. Social {n2}.000,00 EUR | C.R.C. {town} {n9} | Matrícula {n5} | Inscrição Estadual {n3}.{d3}.{d3}.{d3} | IM {n7} | Alvará nº {n5}
bill_to: Cliente | Exmo.(s) Sr.(s) | Faturar a | Destinatário | Faturado a | Exmos. Senhores | CLIENTE | Dados do cliente | Adquirente | Tomador
from: Emitente | De | Fornecedor | Prestador | Vendedor
ship_to: Local de entrega | Morada de entrega | Entrega | Local de descarga | Endereço de entrega | Descarga
attention: A/C {person} | Ao cuidado de {person} | Sr. {person} | Sra. {person} | Dep. Financeiro | Contabilidade
pos: N.º | # | Item | Linha
product_code: Código | Referência | Ref. | Artigo | Cód. | Cód. Artigo | Código artigo
description: Descrição | Designação | DESCRIÇÃO | Artigo | Produto/Serviço | Descrição dos serviços | Serviço | Discriminação | Produto
quantity: Quantidade | Qtd. | Qtd | QTD | Quant. | Horas | Qt.
unit_column: Un. | Unidade | UN | Un | Unid.
unit_price: Preço unitário | Pr. Unit. | Preço | P. Unit. | Preço unit. | Valor unitário | P.U. | Pr. Unitário | Preço Un. | Valor unit. | Preço/hora
tax_rate: IVA | % IVA | Taxa IVA | IVA % | Tx. IVA | Taxa
discount_column: Desc. | Desconto | Desc. % | % Desc. | Dsc.
amount: Valor | Total | Montante | Valor líquido | Importância | VALOR | Total ({cur}) | Valor total | Total líquido | Subtotal | Total {cur}
day_column: Data | Dia
subtotal: Subtotal | Total ilíquido | Base tributável | Incidência | Total líquido | Mercadoria/Serviços | Valor dos serviços | Soma | Total sem IVA | SUBTOTAL | Total mercadorias | Valor líquido | Base de incidência
discount: Desconto | Desconto {percent}% | Desconto comercial | Desconto financeiro | Total descontos | Desconto ({percent}%) | Desc. global
net_after: Total líquido | Base tributável | Líquido | Subtotal
charge: Portes | Transporte | Despesas de envio | Frete | Deslocação | Portes de envio | Embalagem
tax: IVA {rate}% | IVA ({rate}%) | Total IVA | IVA | Valor do IVA | IVA {rate} % | I.V.A. {rate}% | Total de IVA | Imposto | Impostos | IVA a {rate}%
tax_base: sobre | de | base
tax_sum: Total IVA | Total de IVA | Valor IVA | Total impostos
tax_within: IVA incluído | IVA incluído {rate}% | inclui IVA | do qual IVA
rate_column: Taxa | Taxa IVA | % | Tx.
base_column: Incidência | Base | Base incid.
tax_column: Total IVA | Valor IVA | IVA | Imposto
invoice_total: Total | TOTAL | Total a pagar | Total da fatura | TOTAL A PAGAR | Total Documento | Total fatura | Valor total | Total {cur} | Total com IVA | Total geral | Valor a pagar | Total ({cur}) | VALOR TOTAL | Total c/ IVA | Total do documento
total_plain: Total | TOTAL | Total da fatura | Total Documento | Valor total | Total {cur} | Total com IVA
paid: Adiantamento | Pago | Sinal | Retenção IRS | Já pago | Valor pago | Adiantamentos | Retenção na fonte
amount_due: Total a pagar | Valor em dívida | A pagar | Saldo | Valor a receber | Valor em aberto | Por liquidar | Saldo em dívida
rounding: Arredondamento
term_days: {days} dias | {days} dias da data da fatura | Pagamento a {days} dias | A {days} dias | Fatura a {days} dias | {days} dias após a emissão | Boleto {days} dias | {days} DIAS | Transferência a {days} dias | {days} dias líquidos | Prazo de {days} dias
term_now: Pronto pagamento | A pronto | Pagamento imediato | À vista | Contra entrega | Na entrega | Pagamento à vista | Pagamento antecipado | Contra fatura | Numerário
term_sentence: Pagamento a {days} dias da data da fatura | Pagamento no prazo de {days} dias | Condições de pagamento: {days} dias | Esta fatura deve ser paga em {days} dias | O pagamento deverá ser efetuado em {days} dias
due_sentence: Pagar até {date}. | Vencimento: {date} | Agradecemos o pagamento até {date}. | Data limite de pagamento: {date} | Pagamento até {date}
quote_id: Indique o número {id} na transferência. | Referência: {id} | Ref. de pagamento: {id} | Descritivo da transferência: {id}
intro: Pelos serviços prestados: | Conforme a vossa encomenda, faturamos: | Detalhe dos trabalhos realizados: | Serviços prestados conforme contrato: | De acordo com o orçamento:
salutation: Exmos. Senhores, | Caro cliente, | Prezados Senhores, | Estimado cliente,
closing: Com os melhores cumprimentos | Atenciosamente | Cumprimentos | Melhores cumprimentos
thanks: Obrigado pela preferência. | Agradecemos a sua preferência. | Obrigado pela confiança. | Estamos ao dispor para qualquer esclarecimento.
note: Processado por programa certificado nº {n4}/AT | Os bens foram colocados à disposição do adquirente nesta data. | Não se aceitam devoluções após 8 dias. | Sujeito a juros de mora à taxa legal. | Documento processado por computador. | {letter}{letter}{letter}{letter}-Processado por programa certificado n.º {n4}/AT | Isenção de IVA ao abrigo do art. 53.º do CIVA. | ATCUD: {letter}{letter}{letter}{n}{letter}{n2}-{n4}
bank_heading: Dados bancários | Dados bancários: | Transferência bancária | Pagamento por transferência | Dados para pagamento
bank: Banco | Banco: | Entidade
bank_name: Banco {coin} | Caixa {coin} | {coin} Banco | Crédito Agrícola {coin} | Banco do {coin}
holder: Titular | Favorecido | Beneficiário
account: Conta | Nº da conta | NIB | Conta corrente | C/C
routing: Agência | Balcão | Ag.
iban: IBAN | IBAN | IBAN: | NIB/IBAN
bic: BIC | SWIFT | BIC/SWIFT
tel: Tel. | Telefone | Telef. | Tel | Fone | Tlf. | T. | Telm.
fax: Fax | Fax:
mail: E-mail | Email | Mail | Correio eletrónico
web: Web | Site | www
manager: Gerente: {person} | Gerência: {person} | Administrador: {person}
register: Capital Social {n2}.000 € | C.R.C. de {town} nº {n9} | Matriculada na C.R.C. {town} | Sociedade por quotas
exempt: Isento de IVA, artigo 53.º | IVA - autoliquidação | Isento artigo 14.º do RITI | Não sujeito a IVA | Optante pelo Simples Nacional
in_words: Por extenso: {tens} mil {tens} euros | Valor por extenso: {tens} centos e {tens}
tens: doze | três | cinco | vinte | quarenta | sete | nove | dois | onze
signature: Assinatura | Assinatura e carimbo | Recebi | O responsável
paid_stamp: PAGO | Pago | LIQUIDADO | CÓPIA
section: Materiais | Mão de obra | Serviços | Guia {n5} | Deslocações
first: Maria | João | Ana | Pedro | Manuel | Rita | Tiago | Inês | António | Sofia | Carlos | Beatriz | Paulo | Luís | Catarina | Miguel | Helena | Rui
person: {first} {family} | {first} {family} {family} | {first} {family}
unit_hours: h | horas | hora | H | hr
unit_days: dias | dia
unit_goods: un | UN | Un. | pç | cx | peça | und | par | kit | rolo | caixa | PC | pct | saco | conj.
unit_bulk: kg | m | m² | m2 | l | ml | t | m³ | KG | MT | lt
unit_flat: vg | mês | serviço | ano | global | SV
trade: Construções | Instalações | Remodelações | Eletricidade | Canalizações | Carpintaria | Pinturas | Informática | Sistemas | Consultoria | Contabilidade | Gestão | Design | Gráfica | Artes Gráficas | Transportes | Logística | Limpezas | Jardins | Engenharia | Arquitetura | Comunicação | Fotografia | Traduções | Fornecimentos | Distribuição | Comércio | Indústria | Máquinas | Oficinas | Auto | Climatização | Serviços | Soluções | Eventos | Formação | Segurança | Embalagens | Têxteis | Móveis | Energia | Alimentar | Cerâmicas | Metalomecânica | Publicidade | Laboratórios
business: {coin} {trade} {suffix} | {trade} {coin} {suffix} | {family} {trade} {suffix} | {trade} {family} {suffix} | {family} & {family} {suffix} | {coin} {suffix} | {family} & Filhos {suffix} | {initials} {trade} {suffix} | {first} {family} {family} | {coin} - {trade} {suffix} | {coin} - {trade} e {trade} {suffix} | {coin}{coin2} {suffix} | Grupo {coin} {suffix} | Irmãos {family} {suffix} | {coin} {trade} | {trade} {coin} de {first} {family} | {first} {family}, Unipessoal {suffix}
service: Serviços de consultoria | Desenvolvimento de website | Manutenção mensal | Mão de obra | Instalação {thing_made} | Reparação {thing_made} | Desenvolvimento de software | Gestão de projeto | Tradução | Deslocação | Alojamento {coin} | Formação | Limpeza {place} | Pintura {place} | Montagem {thing_made} | Contabilidade {month_word} | Honorários | Transporte {coin} | Aluguer {thing_made} | Estudo técnico | Assistência técnica | Trabalhos elétricos {place} | Canalização {place} | Remoção de entulho | Subscrição {coin} | Licença {coin} | Design gráfico | Impressão folhetos | Reportagem fotográfica | Revisão | Criação de logótipo | Manutenção de jardim {month_word} | Avença {month_word}
goods: {thing_made} | {thing_made} {model} | {thing_made} {coin} | {thing_made} {coin} {model} | {thing_made} {size_made} | {thing_made} {color_made} | {coin} {model} | {thing_made} {size_made} {color_made} | {items_general} | {thing_made} tipo {letter} | {grocery} | {thing_made} ref. {n4}
thing_made: Bomba | Cadeira de escritório | Secretária | Painel LED | Filtro | Válvula | Quadro elétrico | Calha | Tinta | Toner | Computador portátil | Monitor | Puxador | Caixilho | Junta | Rolamento | Motor | Sensor | Interruptor | Bateria | Luvas | Palete | Caixa cartão | Estante | Armário | Candeeiro | Radiador | Caldeira | Pneu | Disco travão | Mangueira | Impressora | Router | Teclado | Mosaico | Contraplacado | Cimento | Painel isolante | Tubo | Acessório | Vestuário de trabalho | Lona | Folheto | Etiquetas | Máquina de café | Expositor | Vedação | Compressor | Torneira | Placa de gesso | Cabo | Papel A4
color_made: preto | branco | cinza | azul | vermelho | verde | bege
model: {letter}{letter}-{n3} | {letter}{n2} | {n4} | {letter}{n3}-{letter} | {n2}/{n2} | mod. {n3}
size_made: {n2} x {n2} cm | {n2} mm | {n3}x{n3} mm | {n},5 m | {n2} kg | DN {n2} | {n2} W | {n3} ml | A{n}
place: cozinha | escritório | rés-do-chão | armazém | casa de banho | escada | oficina | pavilhão {n}
month_word: janeiro | fevereiro | março | abril | maio | junho | julho | agosto | setembro | outubro | novembro | dezembro
detail: portes incluídos | conforme orçamento {n5} | N.º série {n7} | Guia {n5} | período {month_word} | conforme acordado | cor {color_made} | montagem incluída | 12 meses | garantia 2 anos | obra {coin} | lote {letter}{n5} | materiais incluídos | por medida | peso {n2},{n} kg
"""

_DUTCH = """
name_label: Naam | Bedrijf | Firma
address_label: Adres | Straat | Factuuradres
fine_print: Reclames dienen binnen acht dagen te worden ingediend. | Bij te late betaling wordt wettelijke rente berekend. | Alle geschillen worden voorgelegd aan de rechter te {town}. | De goederen blijven ons eigendom tot volledige betaling. | Op onze overeenkomsten is Nederlands recht van toepassing.
coupon: Betaalstrook | Acceptgiro | Gelieve bij te voegen bij uw betaling | Overschrijvingsformulier
title: Factuur | FACTUUR | Factuur | FACTUUR | Verkoopfactuur | Factuur | Nota
copy: Origineel | Kopie | Pagina 1 van 1 | Blad 1 | Pag. 1/1 | Duplicaat
invoice_id: Factuurnummer | Factuurnr. | Factuur nr. | Factuurnr | Factuur | Nummer | Factuur nummer | Fact.nr. | Nr. | Documentnummer | Factuurnummer
invoice_date: Factuurdatum | Datum | Fact. datum | Factuur datum | Datum factuur | Documentdatum | Uitgegeven op
due_date: Vervaldatum | Vervaldag | Te betalen voor | Uiterste betaaldatum | Betalen vóór | Betaaldatum | Te voldoen voor | Betaling uiterlijk
purchase_order: Uw bestelling | Bestelnummer | Uw ordernummer | Inkoopordernummer | PO-nummer | Uw order | Inkooporder | Uw bestelnr. | Bestelbon | Bestelbonnummer | Uw inkoopnr.
payment_term: Betalingsconditie | Betalingstermijn | Betalingsvoorwaarden | Betaling | Betalingscondities | Betaaltermijn | Betaalwijze
customer_no: Klantnummer | Klantnr. | Debiteurnummer | Debiteurnr. | Relatienummer | Debiteur | Klant nr.
order_no: Ordernummer | Onze referentie | Offertenummer | Order nr. | Projectnummer | Werkbon | Dossier | Opdrachtnummer | Offerte | Ons kenmerk | Contractnummer
order_date: Orderdatum | Besteldatum | Datum bestelling
delivery_date: Leverdatum | Datum levering | Periode | Leveringsdatum | Uitvoeringsdatum
delivery_note: Pakbon | Pakbonnummer | Leveringsbon | Vrachtbrief | Leverbon nr.
contact: Contactpersoon | Behandeld door | Verkoper | Uw contact | Vertegenwoordiger | Contact | Accountmanager
method: Verzendwijze | Leveringsconditie | Valuta | Betaalwijze | Transport | Levering
method_made: PostNL | Overboeking | Franco | Afhalen | DHL | Automatische incasso | Af fabriek | iDEAL | EXW | Vrachtauto
project: Betreft | Project | Onderwerp | Werk | Referentie | Object
customer_tax: Uw BTW-nummer | BTW-nr. klant | Uw btw-nr. | BTW klant
tax_id: BTW-nr. | BTW-nummer | BTW nr. | Btw-id | BTW | BTW-nr | Btw-nummer | BTW-identificatienummer | BTW-ID
other_tax_id: KvK {n8} | KvK-nummer {n8} | KvK nr. {n8} | K.v.K. {town} {n8} | KvK: {n8} | RPR {town} | Ondernemingsnr. {n4}.{d3}.{d3}
bill_to: Factuuradres | Klant | Aan | Factuur aan | Facturatieadres | Debiteur | Geadresseerde | Opdrachtgever
from: Van | Afzender | Leverancier | Verkoper
ship_to: Afleveradres | Leveradres | Leveringsadres | Verzendadres | Werkadres | Afleveren aan
attention: T.a.v. {person} | t.a.v. de heer {family} | t.a.v. mevr. {family} | Afd. Crediteuren | Administratie | t.a.v. de boekhouding
pos: Nr. | # | Pos. | Regel
product_code: Artikelnummer | Artikelnr. | Artikel | Code | Art.nr. | Artikelcode | Productcode | Art. nr.
description: Omschrijving | Beschrijving | OMSCHRIJVING | Artikel | Product | Dienst | Artikelomschrijving | Werkzaamheden | Omschrijving werkzaamheden
quantity: Aantal | Hoeveelheid | Aant. | Uren | AANTAL | Hoev.
unit_column: Eenheid | Eenh. | EH | Eenh
unit_price: Prijs | Stukprijs | Prijs per stuk | Prijs p/st | Eenheidsprijs | Tarief | Prijs excl. | Uurtarief | Prijs/eenheid | Prijs ({cur}) | Verkoopprijs | Prijs p.e.
tax_rate: BTW | BTW % | Btw | BTW-tarief | % BTW | BTW%
discount_column: Korting | Krt. % | Korting % | Kort.
amount: Bedrag | Totaal | Totaalbedrag | BEDRAG | Bedrag ({cur}) | Totaal excl. | Bedrag excl. BTW | Subtotaal | Regeltotaal | Bedrag {cur} | Netto bedrag | Prijs
day_column: Datum | Dag
subtotal: Subtotaal | Totaal excl. BTW | Totaal exclusief BTW | Bedrag excl. BTW | Netto | SUBTOTAAL | Totaal netto | Nettobedrag | Goederenbedrag | Totaal excl. btw | Maatstaf van heffing | Excl. BTW
discount: Korting | Korting {percent}% | Totale korting | Factuurkorting | {percent}% korting | Kwantumkorting | Korting ({percent}%)
net_after: Netto | Grondslag | Subtotaal na korting | Totaal excl. BTW
charge: Verzendkosten | Transportkosten | Vrachtkosten | Administratiekosten | Voorrijkosten | Verpakking | Porti | Bezorgkosten
tax: BTW {rate}% | {rate}% BTW | BTW {rate} % | BTW | Btw {rate}% | BTW-bedrag | BTW hoog ({rate}%) | Totaal BTW | BTW ({rate}%) | {rate},00% BTW | Btw-bedrag {rate}%
tax_base: over | van | op
tax_sum: Totaal BTW | BTW totaal | BTW-bedrag | Totaal btw
tax_within: inclusief {rate}% BTW | incl. BTW | waarvan BTW | Inclusief BTW
rate_column: Tarief | BTW % | %
base_column: Grondslag | Over | Excl. BTW | Netto
tax_column: BTW | BTW-bedrag | Bedrag BTW
invoice_total: Totaal | Totaal incl. BTW | Te betalen | TOTAAL | Totaalbedrag | Factuurbedrag | Totaal te betalen | Totaal inclusief BTW | TE BETALEN | Eindtotaal | Totaal {cur} | Te voldoen | Totaal te voldoen | Factuurtotaal | Totaal incl. btw | Bedrag incl. BTW
total_plain: Totaal | Totaal incl. BTW | TOTAAL | Totaalbedrag | Factuurbedrag | Totaal inclusief BTW | Factuurtotaal
paid: Aanbetaling | Reeds betaald | Voorschot | Betaald | Reeds voldaan | Ontvangen aanbetaling | Vooruitbetaald
amount_due: Te betalen | Nog te betalen | Openstaand bedrag | Te voldoen | Restbedrag | Saldo | Openstaand | Nog te voldoen
rounding: Afronding
term_days: {days} dagen | {days} dagen netto | Binnen {days} dagen | Betaling binnen {days} dagen | {days} dagen na factuurdatum | Netto {days} dagen | binnen {days} dagen na factuurdatum | {days} dgn netto | {days} dagen einde maand | Betalen binnen {days} dagen | {days} dgn
term_now: Contant | Per direct | Direct | Onder rembours | Bij levering | Vooruitbetaling | Contante betaling | Direct te voldoen | Bij ontvangst | Automatische incasso | Per omgaande
term_sentence: Betaling binnen {days} dagen na factuurdatum | Gelieve te betalen binnen {days} dagen | Te voldoen binnen {days} dagen na factuurdatum | Betalingstermijn {days} dagen | Wij verzoeken u het bedrag binnen {days} dagen over te maken | Graag betaling binnen {days} dagen
due_sentence: Gelieve te betalen vóór {date}. | Te betalen voor {date} | Wij verzoeken u het bedrag vóór {date} te voldoen. | Vervaldatum: {date} | Graag betalen uiterlijk {date}
quote_id: Gelieve het factuurnummer {id} te vermelden. | o.v.v. {id} | Onder vermelding van factuurnummer {id} | Mededeling: {id} | Betalingskenmerk {id}
intro: Hierbij brengen wij u in rekening: | Voor de geleverde diensten berekenen wij u: | Volgens opdracht berekenen wij u: | Hierbij ontvangt u de factuur voor de volgende werkzaamheden: | Wij leverden u:
salutation: Geachte heer/mevrouw, | Beste {first}, | Geachte relatie, | Geachte heer {family},
closing: Met vriendelijke groet | Hoogachtend | Vriendelijke groeten
thanks: Bedankt voor uw bestelling. | Wij danken u voor uw opdracht. | Dank voor het vertrouwen. | Heeft u vragen over deze factuur? Neem dan contact met ons op.
note: Op al onze leveringen zijn onze algemene voorwaarden van toepassing. | Geleverde goederen blijven eigendom tot volledige betaling. | Reclames binnen 8 dagen na ontvangst. | BTW verlegd. | Bij niet tijdige betaling wordt rente in rekening gebracht. | Onze voorwaarden zijn gedeponeerd bij de KvK te {town}.
bank_heading: Bankgegevens | Betaalgegevens | Bankgegevens: | Rekening | Betaling op
bank: Bank | Bank: | Banknaam
bank_name: {coin}bank | Bank {coin} | {coin} Bank | Volksbank {coin} | Spaarbank {coin}
holder: T.n.v. | Rekeninghouder | Ten name van | t.n.v.
account: Rekeningnummer | Rek.nr. | Rekening
routing: Bankcode
iban: IBAN | IBAN | IBAN: | IBAN nr. | Rekening (IBAN)
bic: BIC | BIC/SWIFT | BIC: | Swift
tel: Tel. | Telefoon | Tel | T | T: | Mobiel | Tel:
fax: Fax | F
mail: E-mail | E | Email | E: | Mail
web: Web | Website | Internet | W | www
manager: Directie: {person} | Eigenaar: {person} | Zaakvoerder: {person}
register: KvK {town} {n8} | Handelsregister {n8} | Ingeschreven KvK {n8} | RPR {town}
exempt: BTW verlegd | Vrijgesteld van BTW | Btw verlegd naar afnemer | Intracommunautaire levering, 0% BTW | Vrijgesteld van btw op grond van artikel 25 KOR
in_words: Zegge: {tens}honderd{tens} euro
tens: twaalf | drie | vijf | twintig | veertig | zeven | negen | twee | elf
signature: Handtekening | Voor akkoord | Ontvangen
paid_stamp: BETAALD | Voldaan | KOPIE
section: Materiaal | Arbeid | Diensten | Pakbon {n5} | Onderdelen | Reiskosten
first: Jan | Anna | Piet | Sanne | Kees | Eva | Daan | Lisa | Tim | Femke | Bram | Sophie | Lotte | Joris | Marieke | Henk | Wouter | Ingrid
person: {first} {family} | {first} {family} | {letter}. {family} | {letter}.{letter}. {family}
unit_hours: uur | u | uren | uur
unit_days: dag | dagen
unit_goods: st | stuks | stuk | st. | doos | set | rol | paar | pak | Stk | zak | pallet | ds | fles
unit_bulk: kg | m | m² | m1 | l | t | m³ | m2 | km | liter
unit_flat: maand | post | mnd | stelpost | jaar | pst
trade: Bouw | Installatietechniek | Elektro | Loodgieters | Timmerwerken | Schilders | Stukadoors | Automatisering | Software | Advies | Administratie | Ontwerp | Drukkerij | Transport | Logistiek | Schoonmaak | Hoveniers | Ingenieurs | Architecten | Communicatie | Fotografie | Vertalingen | Handelsonderneming | Groothandel | Techniek | Machines | Auto's | Klimaattechniek | Diensten | Media | Evenementen | Opleidingen | Beveiliging | Verpakkingen | Textiel | Meubelen | Energie | Voeding | Tegels | Metaal | Reclame | Consultancy | Design | Webdesign | Dakwerken | Tuinen | Verhuur
business: {coin} {trade} {suffix} | {family} {trade} {suffix} | {trade} {family} | {trade}bedrijf {family} {suffix} | {family} & {family} {suffix} | {coin} {suffix} | {family} en Zonen {suffix} | {initials} {trade} {suffix} | {first} {family} {trade} | {coin}{coin2} {suffix} | {coin} Groep {suffix} | Gebr. {family} {suffix} | {trade} {coin} {suffix} | {coin} {trade} | {family} {suffix} | Firma {family} | {coin} Nederland {suffix}
service: Advieswerkzaamheden | Ontwerp website | Maandelijks onderhoud | Arbeidsloon | Installatie {thing_made} | Reparatie {thing_made} | Softwareontwikkeling | Projectleiding | Vertaalwerk | Voorrijkosten | Hosting {coin} | Training | Schoonmaak {place} | Schilderwerk {place} | Montage {thing_made} | Administratie {month_word} | Honorarium | Transport {town} | Huur {thing_made} | Onderzoek | Teksten schrijven | Storing verhelpen | Elektrawerk {place} | Loodgieterswerk {place} | Afvoer puin | Abonnement {coin} | Licentie {coin} | Grafisch ontwerp | Drukwerk flyers | Fotoreportage | Technische ondersteuning | Onderhoudsbeurt | Bezorging | Logo ontwerp | Tuinonderhoud {month_word}
goods: {thing_made} | {thing_made} {model} | {thing_made} {coin} | {thing_made} {coin} {model} | {thing_made} {size_made} | {thing_made} {color_made} | {coin} {model} | {thing_made} {size_made} {color_made} | {items_general} | {thing_made} type {letter} | {grocery}
thing_made: Pomp | Bureaustoel | Bureau | LED-paneel | Filterpatroon | Ventiel | Besturingskast | Kabelgoot | Muurverf | Toner | Laptop | Monitor | Deurklink | Kozijn | Pakking | Lager | Motor | Sensor | Schakelaar | Accu | Werkhandschoenen | Pallet | Doos | Stelling | Kast | Lamp | Radiator | CV-ketel | Band | Remschijf | Slang | Printer | Router | Toetsenbord | Tegel | Multiplex plaat | Cement | Isolatieplaat | Buis | Koppeling | Werkkleding | Spandoek | Brochure | Etiketten | Koffiemachine | Display | Hekwerk | Compressor | Kraan | Gipsplaat | Kabel | Kopieerpapier
color_made: zwart | wit | grijs | blauw | rood | groen | antraciet
model: {letter}{letter}-{n3} | {letter}{n2} | {n4} | {letter}{n3}-{letter} | {n2}/{n2} | type {n3}
size_made: {n2} x {n2} cm | {n2} mm | {n3}x{n3} mm | {n},5 m | {n2} kg | DN {n2} | {n2} W | {n3} ml | A{n}
place: keuken | kantoor | begane grond | magazijn | badkamer | trappenhuis | werkplaats | hal {n}
month_word: januari | februari | maart | april | mei | juni | juli | augustus | september | oktober | november | december
detail: incl. levering | volgens offerte {n5} | Serienr. {n7} | Pakbon {n5} | periode {month_word} | zoals afgesproken | kleur {color_made} | incl. montage | 12 maanden | 2 jaar garantie | project {coin} | batch {letter}{n5} | incl. materiaal en afvoer | op maat | gewicht {n2},{n} kg
"""

# Where a country has its own words. Lists that are not named stay the language's.
_COUNTRIES = {
    "GB": """
tax_id: VAT No. | VAT Reg. No. | VAT Number | VAT Registration No. | VAT No | VAT Reg No | VAT Registration Number | VAT
""",
    "IE": """
tax_id: VAT No. | VAT Reg. No. | VAT Number | VAT No | Tax Reg. No. | VAT Reg No
""",
    "AU": """
tax_id: ABN | ABN | A.B.N. | ABN: | ABN No.
title: Tax Invoice | TAX INVOICE | Tax Invoice | Invoice | INVOICE
routing: BSB | BSB No. | BSB:
""",
    "CA": """
tax_id: GST/HST No. | GST # | HST # | GST/HST Registration No. | Business No. | GST Reg. No. | HST No. | BN
""",
    "SG": """
tax_id: GST Reg. No. | GST Registration No. | UEN / GST Reg No. | GST Reg No | Co. Reg. No. / GST No. | UEN
title: Tax Invoice | TAX INVOICE | INVOICE | Invoice
""",
    "MY": """
tax_id: SST No. | SST Reg. No. | GST ID No. | SST ID | Service Tax No. | GST Reg No | GST No.
title: INVOICE | TAX INVOICE | Invoice | Tax Invoice | INVOICE
purchase_order: Your P/O No. | P.O. No. | P/O No. | Your Ref. | Cust P/O No. | Your Order No.
delivery_note: D/O No. | DO No. | Our D/O No. | Delivery Order
""",
    "IN": """
tax_id: GSTIN | GSTIN/UIN | GST No. | GSTIN No. | GSTIN:
title: TAX INVOICE | Tax Invoice | INVOICE | Invoice | GST INVOICE
purchase_order: Buyer's Order No. | P.O. No. | PO No | Purchase Order No. | Order Ref
product_code: HSN | HSN/SAC | HSN Code | Item Code | HSN/SAC Code
routing: IFSC | IFSC Code | Branch & IFS Code
""",
    "AT": """
tax_id: UID-Nr. | UID | UID: | UID-Nummer | USt-IdNr. | UID Nr.
other_tax_id: FN {n6}{letter_low} | Steuernummer {n2} {n3}/{d4} | FN {n6} {letter_low} | Firmenbuch {town} FN {n6}{letter_low}
letter_low: a | b | d | f | h | k | m | s | w | x
register: FN {n6}{letter_low} | Firmenbuchgericht {town} | FB-Nr. {n6}{letter_low} LG {town}
""",
    "CH-de": """
tax_id: MWST-Nr. | MWST Nr. | MwSt-Nr. | UID | UID-Nr. | MWST-Nummer
other_tax_id: Handelsregister Kt. {town} | Konto-Nr. {n2}-{n6}-{n} | PC {n2}-{n5}-{n}
register: Handelsregister {town} | PC-Konto {n2}-{n6}-{n}
exempt: Nicht MWST-pflichtig | Befreit von der Mehrwertsteuer | MWST 0%
""",
    "CH-fr": """
tax_id: N° TVA | TVA | IDE | N° IDE | N° de TVA
other_tax_id: CCP {n2}-{n6}-{n} | RC {town}
register: RC {town} | CCP {n2}-{n6}-{n}
exempt: Non assujetti à la TVA | TVA 0%
note: Nos conditions générales de vente s'appliquent. | Payable net sans escompte. | Merci de votre confiance.
""",
    "BE-fr": """
other_tax_id: RPM {town} | BCE {n4}.{d3}.{d3} | RPM {town} {n4}.{d3}.{d3}
register: RPM {town} | N° d'entreprise {n4}.{d3}.{d3}
exempt: Autoliquidation | Régime particulier de franchise des petites entreprises | Exempt de TVA
note: Nos factures sont payables au comptant. | En cas de litige, seuls les tribunaux de {town} sont compétents. | Toute réclamation doit nous parvenir dans les 8 jours. | Nos conditions générales de vente s'appliquent.
""",
    "CA-fr": """
tax: TPS 5% | TPS (5 %) | TPS | TPS + TVQ | Taxes | TPS/TVQ
tax_id: N° TPS | TPS no | N° de TPS/TVH | No TPS | TPS
other_tax_id: TVQ {n10} TQ0001 | NEQ {n10} | N° TVQ {n10} TQ0001
register: NEQ {n10} | RBQ {n4}-{d4}-{n2}
exempt: Non taxable | Petit fournisseur
subtotal: Sous-total | SOUS-TOTAL | Sous total | Montant
invoice_total: Total | TOTAL | Montant dû | Total à payer | Solde dû | MONTANT TOTAL
total_plain: Total | TOTAL | Montant total
amount: Montant | Total | Prix | Montant ($)
unit_price: Prix unitaire | Prix | Prix unit. | Taux | Tarif
note: Frais de retard de 2% par mois (24% par an). | Merci de votre confiance. | Marchandise vendue non remboursable.
""",
    "BR": """
tax_id: CNPJ | CNPJ: | C.N.P.J. | CNPJ/MF
tax: ISS {rate}% | ICMS {rate}% | ISS | Impostos | ICMS | Imposto {rate}%
tax_rate: ICMS % | ISS % | Alíq. | Alíquota | % Imp.
title: FATURA | Fatura | Nota de Serviço | Fatura de Serviços | FATURA COMERCIAL
exempt: Optante pelo Simples Nacional | Isento de impostos
note: Após o vencimento cobrar multa de 2%. | Documento emitido por ME ou EPP optante pelo Simples Nacional. | Não gera direito a crédito fiscal de IPI. | Protestar após {n2} dias.
""",
    "MX": """
tax_id: RFC | R.F.C. | RFC: | RFC Emisor
title: FACTURA | Factura | FACTURA CFDI | Factura electrónica
product_code: Clave | Código | Clave Prod. | No. Identificación | Clave SAT
exempt: IVA exento | Tasa 0% | Régimen Simplificado de Confianza
paid: Anticipo | Pagado | Retención ISR 10% | Ret. ISR | A cuenta
""",
}  # fmt: skip

_LANGUAGES = {
    "en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "it": _ITALIAN, "pt": _PORTUGUESE, "nl": _DUTCH,
}  # fmt: skip


@cache
def words(language: str, country: str) -> Rules:
    """Every list of words for an invoice of this country in this language."""
    merged = rules(_LANGUAGES[language])
    for code in (country, f"{country}-{language}"):
        merged |= rules(_COUNTRIES.get(code, ""))
    return merged
