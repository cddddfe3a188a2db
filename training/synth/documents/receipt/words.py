"""The words tills print around the values: labels, headings, greetings, by language and, where it differs, by country."""

# ruff: noqa: E501 - lists of words; broken at 120 they read no better

from functools import cache

from training.synth.documents.grammar import Rules, rules

_ENGLISH = """
subtotal: Subtotal | SUBTOTAL | Sub Total | Sub-Total | SUB TOTAL | Sub-total | Net Sales | Item Total | Amount | Food & Bev Total | Merchandise Total | Food | NET | Counter-Eat In | Counter-Take Out | Food Total
tax: Tax | TAX | Sales Tax | Tax 1 | State Tax | Tax Total | Total Tax | Taxes | Local Tax | Sales Tax ({rate}%) | Tax ({rate}%) | TAX {rate}% | Tax {rate}% | TXTL | TAX1 | Food Tax | SALES TX | Taxable Tax
tax_whole: Total Tax | TOTAL TAX | Tax Total | Taxes
tax_part: Food Tax | Liquor Tax | Other Taxes | State Tax | City Tax | County Tax | Beverage Tax | Tax 2 | Local Tax
tax_name: Tax
total: Total | TOTAL | TOTAL | Grand Total | TOTAL DUE | Total Due | Amount Due | Balance Due | BALANCE DUE | AMOUNT DUE | Total Amount | Order Total | TOTAL PAYABLE | Net Total
    | TOTAL SALE | Amount Payable | Total to Pay | Balance | Bill Total | Sale Total | Grand Total | Check Total | TO PAY | Sales Total | TOTL | Payment Due
pretotal: Total | Order Total | Sales Total | Total Sales | Sub Total
cash: Cash | CASH | Cash Tendered | CASH TEND | Cash Received | Tendered | Amount Tendered | Cash Payment
change: Change | CHANGE | Change Due | CHANGE DUE | Cash Change | Your Change | Balance Returned | Change Given | CHANGE AMT | CHNG
card: VISA | Visa | MASTERCARD | MasterCard | AMEX | Debit | DEBIT CARD | Credit Card | CREDIT | Discover | Visa Debit | Mastercard | Card | Gift Card | American Express | DEBIT TEND | VISA CREDIT | Apple Pay | Contactless
paid: Paid | Payment | Amount Paid | Total Paid | Tender | TENDER
discount: Discount | DISCOUNT | Coupon | Item Comps | Comp | Promo | Member Discount | Disc | Online Offer | Loyalty Discount | Staff Discount | Voucher | Savings | Total Discount | Less Discount | Special Offer | 10% Off | Happy Hour
tip: Tip | TIP | Gratuity | Service Charge | Service Chg | 18% Gratuity | Tip Amount | Auto Gratuity | 20% Tip | 15% SERVICE CHARGE | 18% TIPS | Tips | Service Fee | Service Fees on Tables | Added Gratuity | Party Charge 18%
rounding: Rounding | ROUNDING | Rounding Adj | Cash Rounding
date: Date | DATE | Date: | Trans Date | Business Date | Order Date | Date/Time | Printed | Sale Date | Opened | Invoice Date
time: Time | TIME | Order Time
receipt_no: Receipt # | Receipt No | Check # | Invoice # | Order #
tel: Tel | TEL | Phone | Ph | Tel. | Telephone | T | Phone # | Call | PH
fax: Fax | FAX
cashier: Cashier | CASHIER | Server | Clerk | Served by | Your cashier | Operator | Staff | Associate | Waiter | Employee | Host | Salesperson | User | Bartender
station: Station | Register | Till | Terminal | POS | Reg | Lane | Counter | Term | REG# | Workstation
table: Table | TABLE | Tbl | Tab | Table No
guests: Guests | Covers | Pax | Party | # Guests | Gst | Guest Count
kind: Dine In | Take Out | To Go | Eat In | Drive Thru | Take Away | Delivery | Pickup | FOR HERE | TAKEOUT | Carry Out | Bar | Collection
qty: Qty | QTY | Qty. | Quantity | QTY/LB | Unit | Pcs
item: Item | ITEM | Description | Item Description | DESCRIPTION | Product | Name | Details | Desc | Particulars
price: Price | PRICE | Unit Price | U/P | Each | Rate | @ | Unit
amount: Amount | AMT | Total | AMOUNT | Price | Ext | Amt | Value | TOTAL
items_sold: Items Sold | Item Count | # ITEMS SOLD | No. of Items | TOTAL ITEMS | Total Qty | ITEMS | Item(s) | Number of items | Total Items
savings: You Saved | TOTAL SAVINGS | Your Savings Today | Savings | MEMBER SAVINGS
net: Net | Taxable | Total excl. tax | Taxable Amount | Net Amount | Before Tax | Ex. Tax
gross: Gross | Total | Sales | Amount | Incl. Tax | Total incl.
included: Tax included in total | Includes tax of | Incl. tax | Tax incl.
copy: Customer Copy | CUSTOMER COPY | Merchant Copy | Guest Copy | Duplicate | REPRINT | Cardholder Copy
document: RECEIPT | Sales Receipt | Guest Check | INVOICE | Cash Receipt | Bill | Order | CHECK | SALE | Transaction Record | Cash Sale | PAID
approval: Approval | Auth Code | APPROVAL CODE | Auth # | Approval Code | Authorization | Ref # | AUTH CODE | Trace # | Seq # | Batch
approved: APPROVED | Approved - Thank You | Approved | TRANSACTION APPROVED | PIN Verified | No Signature Required | Chip Read | Entry: Chip
slip: Terminal ID | TID | Merchant ID | MID | AID | Acct | Card # | Entry Method | Card Type | TC | TSI | TVR | App Label | Batch No
member: Member | Member No | Rewards | Loyalty # | Points Earned | Points Balance | Member ID | Customer ID | Club Card
called: YOUR GUEST NUMBER IS | Your guest number is | GUEST # | Your number | NOW SERVING | Pick up | Please wait for number
room: Dining Room | AM Dining Rm | PM Dining Rm | Main Dining | Bar | Patio | Counter | {cuisine} Cuisine | Authentic {cuisine} Food | Restaurant & Bar | {cuisine} + {cuisine} Fusion
    | Fine {cuisine} Dining | Breakfast Lunch Dinner | Fresh Food Fast | Catering Available | Take Out & Delivery | Grill & Bar | Bar & Lounge | Revenue Center {n}
welcome: WELCOME TO | Welcome to | Welcome! | Thank you for visiting | Your local store | Quality since 1987 | Fresh every day | Family owned | EST. 1974 | Open 7 days | The best in town
    | Save money. Live better. | Good food, good mood | Give us feedback @ survey | See back for details
    | SALE! SALE! SALE! | For a chance to win, see back of receipt | How was your visit?
hours: Open Daily 10AM - 10PM | Mon-Sat 9am-9pm | OPEN 24 HOURS | Store Hours 8:00-22:00 | Business Hours 11.00am - 10.00pm
thanks: Thank You! | THANK YOU | Thank you for your business | Please come again | THANK YOU, PLEASE COME AGAIN | Thank you for shopping with us | Have a nice day! | See you soon! | Thanks for coming in
    | It's been a pleasure to serve you. | Thank you for dining with us | Come Again! | HAVE A GREAT DAY | Thank You & Come Again | We appreciate your business | Enjoy your meal! | Thank you for your visit
policy: No refunds without receipt | Returns within 30 days with receipt | ALL SALES FINAL | Goods sold are not returnable | Exchange within 7 days | Keep this receipt for your records | Please keep receipt for warranty
    | No returns on sale items | Refunds within 14 days of purchase | No cash refund | Prices include tax where applicable | Items must be in original packaging | No exchange on food items
survey: Tell us how we did at | Take our survey: | Rate us online | Follow us on Facebook | Like us on Instagram | Wifi password: {coin}{n2} | Complete our survey for a free item | Survey Code: {d4}-{d4}-{d4}-{d4}
    | Download our app | Ask for our gift cards | Now hiring! | Order online at | Scan to pay | Book your next visit
gratuity: Suggested Gratuity | Suggested Tip | Gratuity Not Included | Tip Guide | For your convenience | SUGGESTED GRATUITY: | Tip suggestions | Gratuity not included. Suggested:
tip_line: Tip | TIP: | Gratuity | + Tip
signature: Signature | X | Sign Here | SIGNATURE | Customer Signature
person: {given} | {given} {letter}. | {given} {family} | {given} {letter} | Admin | USER | {d4} | Trainee | Cashier {n} | {n3}
modifier: No Onion | No Ice | Extra Cheese | Medium Rare | To Go | On Side | Add Avocado | Less Sugar | No Sour Cream | Well Done | Hot | Iced | + Egg | No Cheese | w/ Fries | Less Spicy
savings_line: Member Price | You Saved | Reg Price | Was | Promo | Multibuy | 2 FOR 5.00
"""

_MALAYSIA = """
subtotal: Sub Total | SUBTOTAL | Sub-Total | SUB TOTAL (EXCL GST) | Total (Excluding GST) | Total Sales (Excluding GST) | TOTAL EXCL. GST | Subtotal Excl GST | Total Excl SST | Sub Total (RM) | Gross Amount | Sub Total Before Discount | Total Sales
tax: GST | Total GST | GST {rate}% | GST @{rate}% | GST Payable | SST {rate}% | Service Tax {rate}% | TOTAL GST | GST Amt | GST/TAX {rate}% | GST ({rate}%) | Tax | GST Amount | Add GST {rate}% | Govt Tax {rate}% | SST | GST @ {rate}%
tax_name: GST | SST | GST
total: Total | TOTAL | TOTAL | Grand Total | GRAND TOTAL | Net Total | NETT TOTAL | Total Amount | Total (Incl GST) | TOTAL INCL. GST | Total Sales (Inclusive of GST) | Total (Inclusive of GST) | Total Sales Incl GST | Total After Adj Incl GST | TOTAL AMT ROUNDED | TL | TOTAL DUE (GST INC) | AMOUNT INCL. GST | Total Incl. of GST | Total Sales | TOTAL RM | JUMLAH / TOTAL | Total Payable | Amount Due | Total (RM) | Rounded Total | Round Total | Rounded Total (RM)
    | TOTAL SALES INCLUSIVE GST @{rate}% | FINAL TOTAL | TOTAL ROUNDED | Total Due | Net Amount | Nett Total (RM) | Total Inclusive GST | TOTAL AMT PAYABLE | Total Amt Incl. GST @ {rate}% | TOTAL PAYABLE | Total Inc. GST {rate}% | JUMLAH | Total Incl. GST@{rate}% | Total After Rounding
    | Total With GST @ {rate}% | Net Total Rounded (MYR) | Total Amount Due | Bill Total | TOTAL (GST INCL) | Takeout Total (Incl GST) | Total RM Including GST {rate}%
pretotal: Total Sales (Inclusive of GST) | Total (Inclusive of GST) | TOTAL INCL. GST | Total Incl GST | Grand Total | Total Amount | TOTAL | Total RM Incl. of GST | Total Sales Incl GST | Net Total (MYR) | Amt Incl GST
cash: Cash | CASH | Cash | CASH | TUNAI | Cash Tendered | Tender Cash | Cash (RM) | CASH RM | Paid Amount | Tendered | Tender | Cash Received
change: Change | CHANGE | CHANGE | Change (RM) | CHANGE RM | Baki | Cash Change | Change Due | Change Amt | BALANCE | Change Given
card: VISA | MASTER | VISA CARD | Credit Card | MASTERCARD | DEBIT | CC | Visa/Master | Card | NETS | Touch n Go | E-Wallet | MyDebit | MBB | GrabPay | Credit | Boost | DEBIT CARD
discount: Discount | DISC | Disc. | DISCOUNT (RM) | Discount | Total Discount | Less Discount | Spec. Disc | Member Disc | Voucher | Coupon Discount | Item Discount | Bill Disc
tip: Service Charge | SERVICE CHARGE 10% | Svc Chg | Service Chg 10.00% | Serv. Charge(10%) | Service Charge 10% | S. Charge 10% | 10% SERVICE CHARGE | Svr Chrg | Service Charge (RM)
rounding: Rounding | ROUNDING | Rounding Adj | Rounding Adjustment | ROUNDING ADJ. | Round Adj | Bill Rounding | Rounding (RM) | Rounding Adj. | RND ADJ | ROUNDING ADJUSTMENT
date: Date | DATE | Date | Bill Date | Invoice Date | Inv Date | Date & Time | Trans Date | Tarikh | DATE/TIME | Doc Date | Print Date
tel: Tel | TEL | TEL NO | Tel No. | H/P | Tel. | Phone | Mobile / WhatsApp | Hotline | Outlet Tel | Contact | No Tel | HP | Office | WhatsApp
fax: FAX | Fax | Fax No
cashier: Cashier | CASHIER | Served By | Salesperson | Staff | Cashier | SALESPERSON | User | Cashier Name | Server | Operator | Sales Person | User ID | Waiter | Staff Name
station: POS No | Counter | Terminal | POS | Station | Counter No. | Till | CTR | Reg | Machine
table: Table | TABLE | Table No | Table # | Meja | Tbl
guests: Pax | PAX | Pax(s) | Covers | Cover
qty: Qty | QTY | Qty | Quantity | QTY | Kuantiti | Unit
item: Item | ITEM | Description | DESCRIPTION | Item Name | Desc | Code & Desc | Particulars | Product | Item(s) | Keterangan
price: U/Price | U.Price | S/PRICE | Price | U/P(RM) | Unit Price | RSP | U/P | PRICE | Price(RM) | U.P | Unit Price (RM) | Harga
amount: Amount | AMOUNT | Total | Amt(RM) | AMT | Amount(RM) | TOTAL | Total(RM) | Amt | RM | Amount (RM) | Jumlah
items_sold: Total Qty | TOTAL QTY | Item Count | No. of Items | Total Item(s) | TOT QTY | ITEM(S) | Total Quantity | QTY(S) | No of Items | Total Items | Type
net: Total Excl GST | Amount Excl GST | AMT. EXCL. GST | Taxable Amount | Amt Excl. GST | Net Amt
gross: Total Incl GST | Amt Incl. | Total | Gross Amt
included: GST @{rate}% included in total | Total includes {rate}% GST | GST incl. | *{rate}% GST INCLUDED | Total Gst Included | Tax Incl.
document: TAX INVOICE | Tax Invoice | SIMPLIFIED TAX INVOICE | TAX INVOICE | INVOICE | CASH BILL | Cash Receipt | Receipt | OFFICIAL RECEIPT | Cash Sales | -TAX INVOICE- | CASH | RESIT | Bill
    | TAX INVOICE (ORIGINAL) | CASH BILL / INVOICE | Invois Cukai | Cash Sales Counter
summary: GST Summary | GST SUMMARY | GST Analysis | Tax Summary | GST SUMMARY : | SST Summary | GST Details
welcome: WELCOME TO | SELAMAT DATANG | Welcome | Formerly known as | Member of {coin} Group | Licensee of {coin} | Your Neighbourhood Store | Everyday Low Price | Since 1968 | A division of {coin} Holdings | 100% Halal | Always Low Prices
hours: Business Hours: 10am - 10pm | Shopping Hours 1000hrs - 2200hrs | Open Daily | Operation Hour: 8.30AM-6PM | Open: Mon - Sat
thanks: Thank You | THANK YOU | Thank You, Please Come Again | TERIMA KASIH | Thank you. Please come again. | THANK YOU FOR YOUR PATRONAGE | TERIMA KASIH SILA DATANG LAGI | Please Come Again | Thank You For Shopping | Thank You & See You Again | **** THANK YOU ****
policy: Goods sold are not returnable | GOODS SOLD ARE NOT RETURNABLE, THANK YOU. | Goods sold are non-refundable | Exchange are allowed within 7 day with receipt. | STRICTLY NO CASH REFUND. | Barang yang dijual tidak boleh dikembalikan | No refund, no exchange | E. & O. E.
    | Goods sold are not refundable & returnable | This is computer generated receipt | All cheques should be crossed | Please keep this receipt for proof of purchase | Goods once sold cannot be exchanged | Received above goods in good order & condition
survey: Follow us in Facebook : {coin} | Like us on Facebook | Feedback: 1-300-{n2}-{d4} | Customer Service Hotline : 03-{n4} {d4} | Powered by {coin} POS | Any enquiry please contact us | For feedback or complaint please call | Version {n}.{n}.{n2}
person: {given} | Admin | USER | Cashier 01 | {indian} | {malay}ah | {hanzi} {hanzi} | {letter}{d3} | Manager | Siti | Nurul | Ah {hanzi} | Eira | Aina | Trainee Cashier | {d4}
"""

_BRITAIN = """
tax: VAT | VAT @ {rate}% | VAT {rate}% | Total VAT | VAT Amount | of which VAT | VAT Total
tax_name: VAT
total: Total | TOTAL | TOTAL | Total to Pay | Balance Due | Amount Due | Total Due | BALANCE | Grand Total | TOTAL TO PAY | Bill Total | To Pay | Total GBP
tip: Service Charge | Service | Optional Service | 12.5% Service Charge | Discretionary Service Charge | Service @ 12.5% | Gratuity | Svc Charge 10%
card: VISA DEBIT | Visa | Card | MASTERCARD | Contactless | Debit Card | AMEX | Chip & Pin | Visa Contactless | Credit Card | Voucher | Apple Pay
included: VAT included | Includes VAT | VAT incl. | VAT @ {rate}% included
net: Net | Goods | Net Total | Ex VAT | VATable
gross: Gross | Total | Inc VAT | Goods+VAT
document: RECEIPT | VAT Receipt | Sale | TAX INVOICE | Bill | Customer Receipt | Invoice
summary: VAT Analysis | VAT Summary | VAT Breakdown
"""

_AUSTRALIA = """
tax: GST | GST Included | GST Amount | Total includes GST | GST incl. | TOTAL GST | GST {rate}%
tax_name: GST
card: EFTPOS | Eftpos | Visa | Mastercard | VISA PAYWAVE | Card | MasterCard | Amex
included: Total includes GST of | GST included in total | Includes GST
document: TAX INVOICE | Tax Invoice | Receipt / Tax Invoice | TAX INVOICE
summary: GST Summary
"""

_INDIA = """
tax: GST | Total GST | GST {rate}% | CGST + SGST | Tax | Total Tax | IGST {rate}% | VAT {rate}% | Tax Amount
tax_name: GST
total: Total | Grand Total | GRAND TOTAL | Net Amount | Bill Amount | Net Payable | Amount Payable | Net Total | Round Total | NET AMT | Total Amount
rounding: Round Off | Rounded Off | R.Off | Roundoff
card: UPI | Card | Paytm | PhonePe | Credit Card | GPay | HDFC Card | Debit Card | UPI Payment
table: Table | Table No | T.No | Tbl
document: TAX INVOICE | CASH MEMO | Bill of Supply | Retail Invoice | Tax Invoice | BILL | Cash Bill
price: Rate | Price | RATE | MRP
summary: GST Summary | Tax Details
"""

_CANADA = """
tax: HST | GST | HST {rate}% | GST {rate}% | Tax | Taxes | GST/HST | H.S.T. {rate}% | TPS/TVQ
tax_name: HST | GST
tax_whole: Total Tax | Taxes | Total Taxes
tax_part: GST | PST | QST | TPS | TVQ | GST 5% | PST 7% | GST/TPS
card: INTERAC | Interac | Visa | MasterCard | DEBIT | Credit | VISA | Amex | Interac Flash
"""

_GERMAN = """
subtotal: Zwischensumme | Zwischensumme | Zw.-Summe | ZWISCHENSUMME | Nettobetrag | Warenwert | Zwischens. | Netto-Umsatz
tax: MwSt | MwSt. | MWST {rate}% | enth. MwSt | USt | MwSt-Betrag | enthaltene MwSt {rate}% | MwSt {rate},00% | Mehrwertsteuer | inkl. {rate}% MwSt | Summe MwSt. | USt. {rate}%
tax_name: MwSt | MWST | USt
total: Summe | SUMME | Gesamt | zu zahlen | ZU ZAHLEN EURO | Gesamtbetrag | Summe EUR | TOTAL | Total | Endbetrag | Gesamtsumme | BETRAG | Rechnungsbetrag | Zu zahlender Betrag | Zahlbetrag | Endsumme | SUMME EUR | Bar-Total | Gesamt EUR | Betrag EUR
pretotal: Summe | Zwischensumme | Gesamt
cash: Bar | BAR | Bargeld | Gegeben | BARGELD | Gegeben Bar | gegeben | Barzahlung | Geg. BAR
change: Rückgeld | ZURÜCK | Zurück | Rückgeld BAR | RÜCKGELD | Wechselgeld | Restgeld | Rückgeld EUR
card: EC-Karte | Girocard | Kreditkarte | VISA | Mastercard | Karte | girocard | EC-Cash | Kartenzahlung | KARTENZAHLUNG | ec-Karte | Debitkarte | Maestro | Gutschein | Bankomat | VISA Debit
paid: Bezahlt | Zahlung | Gegeben
discount: Rabatt | Nachlass | Coupon | Aktionsrabatt | RABATT | Gutschein | Treuerabatt | Preisvorteil | Sofortrabatt | Kundenkarte | Personalrabatt
tip: Trinkgeld | TIP | Bedienung | Tip | Trinkgeld / Tip
rounding: Rundung | Rundungsdifferenz
date: Datum | Datum: | DATUM | Rechnungsdatum | vom | Belegdatum | am | Datum/Zeit
time: Uhrzeit | Zeit | um | Uhr
tel: Tel | Tel. | Telefon | TEL | Fon | Tel.-Nr.
fax: Fax | Telefax
cashier: Kassierer | Bediener | Es bediente Sie | Kasse | Bedienung | Kassierer/in | Mitarbeiter | Verkäufer | Kellner | Bed. | Es bediente Sie:
station: Kasse | Kassen-Nr. | Filiale | Terminal | Markt | Pos | KASSE
table: Tisch | TISCH | Tisch Nr. | Tisch #
guests: Gäste | Personen | Pers.
kind: Im Haus | Außer Haus | Zum Mitnehmen | Vor Ort
qty: Menge | Anz. | Anzahl | Stk | Mge
item: Artikel | Bezeichnung | Beschreibung | Artikelbezeichnung | Pos. Artikel | ARTIKEL
price: Preis | Einzelpreis | E-Preis | EP | Einzel | EUR/St
amount: EUR | Betrag | Gesamt | Summe | Euro | GP | EURO | Total
items_sold: Anzahl Artikel | ANZAHL ARTIKEL | Artikelanzahl | Posten | Positionen | Stückzahl | Anzahl Posten
savings: Sie sparen | Ersparnis | Gesamtersparnis
net: Netto | Nettobetrag | NETTO | Nettoumsatz
gross: Brutto | BRUTTO | Umsatz | UMSATZ | mit MwSt | Gesamt | Summe | Bruttobetr.
included: enthaltene MwSt. | inkl. MwSt. | darin MwSt | Im Betrag enthalten: MwSt
copy: Kundenbeleg | -K-U-N-D-E-N-B-E-L-E-G- | Händlerbeleg | Kopie | Bitte Beleg aufbewahren | K U N D E N B E L E G
document: Rechnung | Quittung | Kassenbon | RECHNUNG | Bewirtungsbeleg | Barverkauf | Kassenbeleg | BAR-RECHNUNG | Verkaufsbeleg
approval: Genehmigungs-Nr. | Autorisierung | AS-Zeit | TA-Nr. | Beleg-Nr. | BNr | Trace-Nr.
approved: Zahlung erfolgt | *** Zahlung erfolgt *** | Autorisierung erfolgt | Betrag genehmigt | Kartenzahlung contactless
slip: Terminal-ID | VU-Nr | PAN | EMV-AID | AIDPara | Karte | Kartennr. | gültig bis | AS-Proc-Code | Capt.-Ref.
member: Kundennr. | Payback | Bonuspunkte | Kundenkarte | Punkte | DeutschlandCard
welcome: Herzlich willkommen | Wir lieben Lebensmittel | Willkommen bei | Ihr Frischemarkt | Seit 1923 | Immer gut beraten | Täglich frisch | Meisterbetrieb | Inh. {given} {family} | UNSERE ÖFFNUNGSZEITEN
hours: Mo.-Sa. 9.00 Uhr - 20.00 Uhr | Mo-Fr 8-18 Uhr, Sa 8-13 Uhr | Öffnungszeiten 7-22 Uhr | Mo - Sa: 8.00 - 20.00 Uhr | Montag Ruhetag
thanks: Vielen Dank für Ihren Einkauf! | Vielen Dank für Ihren Besuch | Auf Wiedersehen! | Danke für Ihren Einkauf | VIELEN DANK | Es bedankt sich Ihr Team | Bis bald! | Wir danken für Ihren Besuch | Einen schönen Tag noch! | Beehren Sie uns bald wieder
policy: Umtausch nur mit Kassenbon | Umtausch innerhalb von 14 Tagen | Reduzierte Ware vom Umtausch ausgeschlossen | Bitte Beleg aufbewahren | Alle Preise inkl. gesetzl. MwSt. | Es gelten unsere AGB | Dieser Beleg dient als Garantienachweis
survey: Besuchen Sie uns im Internet | Folgen Sie uns auf Facebook | Jetzt App laden | TSE-Transaktion: {n6} | TSE-Signatur: {coin}{n4}{coin}{n5} | Seriennr. Kasse: {n8}-{d4} | Ihre Meinung zählt | Jetzt Punkte sammeln
gratuity: Trinkgeld | Bewirtete Personen | Anlass der Bewirtung
tip_line: Trinkgeld | Tip
signature: Unterschrift | Ort, Datum | Unterschrift Kunde
person: {given} | {family} | {letter}. {family} | Frau {family} | Herr {family} | {d4} | Bediener {n} | Chef
modifier: ohne Zwiebeln | mit Salat | extra Soße | medium | scharf | ohne Eis | Beilage Pommes
savings_line: Rabatt | Preisvorteil | Aktion | statt
summary: MwSt-Übersicht | Steuern
"""

_FRENCH = """
subtotal: Sous-total | Sous Total | SOUS-TOTAL | Total HT | S/Total | Montant HT | TOTAL HT | Ss-Total
tax: TVA | TVA {rate}% | dont TVA | Total TVA | TVA {rate},00% | Montant TVA | T.V.A. | Dont TVA {rate}% | TOTAL TVA
tax_name: TVA
total: TOTAL | Total | TOTAL TTC | Total TTC | Net à payer | NET A PAYER | A PAYER | Montant dû | TOTAL EUR | Total à payer | TOTAL A PAYER | Montant TTC | Total EUR | À RÉGLER | Total Euros | MONTANT
pretotal: Total | Sous-total | Total brut
cash: Espèces | ESPECES | Especes | Espèces reçues | Reçu | RECU | Comptant | Reçu Espèces
change: Rendu | RENDU | Monnaie | A rendre | Rendu monnaie | Monnaie rendue | À RENDRE
card: Carte Bancaire | CB | CARTE BANCAIRE | Carte Bleue | CB EMV | Carte | Ticket Restaurant | Chèque | CB SANS CONTACT | Visa | Tickets Resto | Amex | Mastercard
paid: Payé | Règlement | Encaissé
discount: Remise | REMISE | Réduction | Remise fidélité | Avantage | Bon d'achat | Promo | Remise immédiate | Bon de réduction | Offre
tip: Pourboire | Service | Service 15%
rounding: Arrondi
date: Date | Le | DATE | Du | Date : | Émis le
time: Heure | à | A
tel: Tél | Tel | TEL | Tél. | Téléphone | T.
fax: Fax
cashier: Caissier | Serveur | Vendeur | Hôtesse | Servi par | Caisse | Caissière | Opérateur | Vous avez été servi par | Hôte
station: Caisse | Poste | CAISSE | Terminal | Magasin | Borne
table: Table | TABLE | Tbl | Table N°
guests: Couverts | Couvert(s) | Cvts | Personnes
kind: Sur place | A emporter | Emporter | À Emporter | Livraison
qty: Qté | Qte | QTE | Quantité | Nb
item: Désignation | Article | Libellé | DESIGNATION | Produit | ARTICLES | Description
price: P.U. | PU | Prix | Prix unit. | PU TTC | Px U.
amount: Montant | Total | EUR | Prix | TOTAL | TTC | Montant EUR | €
items_sold: Nombre d'articles | NB ARTICLES | Nb articles | Articles | Nombre de lignes | Nbre article(s) | Total articles
savings: Vous avez économisé | Total remises | Économie réalisée | Avantages obtenus
net: HT | Total HT | Montant HT | Base HT
gross: TTC | Total TTC | Montant TTC | Mt TTC
included: dont TVA | TVA incluse | TTC dont TVA
copy: TICKET CLIENT | Ticket Client | Duplicata | COPIE | TICKET COMMERCANT | A CONSERVER | Original
document: TICKET | FACTURE | Note | ADDITION | Ticket de caisse | Reçu | NOTE | Facture | TICKET DE CAISSE
approval: N° Autorisation | No AUTO | AUTO | N° Transaction | Réf.
approved: PAIEMENT ACCEPTE | Sans contact | Débit | PAIEMENT ACCEPTÉ | Transaction acceptée
slip: AID | N° Porteur | Terminal | SIRET | Contrat | TVR | CARTE BANCAIRE EMV | No Carte
member: Carte fidélité | Client | Points fidélité | N° Client | Cagnotte
welcome: Bienvenue | BIENVENUE CHEZ | Bonjour et bienvenue | Depuis 1952 | Maison fondée en 1936 | Artisan | Produits frais | Votre magasin | Fait maison | La qualité au quotidien
hours: Ouvert du lundi au samedi 9h-19h30 | Ouvert 7j/7 | Lun-Sam 8h30-20h | Fermé le lundi | De 9h à 20h
thanks: Merci de votre visite | MERCI DE VOTRE VISITE | Merci et à bientôt | Merci de votre confiance | A bientôt | Au revoir et à bientôt | Bonne journée | Merci, à bientôt ! | Bon appétit | Merci pour votre achat
policy: Échange sous 15 jours avec ticket | Ni repris ni échangé | Conservez votre ticket | Prix nets TTC | Service compris | Aucun remboursement en espèces | Garantie 2 ans sur présentation du ticket | Prix service compris
survey: Suivez-nous sur Facebook | Retrouvez-nous sur Instagram | Donnez votre avis | Téléchargez l'application | Logiciel {coin} v{n}.{n} | Signature: {letter}{letter}{letter}{letter} | Code Wifi : {coin}{n2} | Le tri facile
gratuity: Service compris | Pourboire libre
tip_line: Pourboire
signature: Signature | Signature client
person: {given} | {given} {letter}. | {family} | {given} {family} | Caisse {n} | {d3}
modifier: saignant | à point | sans glace | bien cuit | sans oignon | + frites | avec lait
savings_line: Remise | Promo | Réduction | Avantage
summary: Détail TVA | TVA | Récapitulatif TVA
"""

_SPANISH = """
subtotal: Subtotal | SUBTOTAL | Sub Total | Base Imponible | Base imp. | Suma | Importe | B. Imponible | Sub-Total
tax: IVA | I.V.A. | IVA {rate}% | IVA {rate},00% | Cuota IVA | Total IVA | Cuota | IVA ({rate}%) | Impuestos | IVA incl.
tax_name: IVA
total: TOTAL | Total | TOTAL | Total a pagar | TOTAL A PAGAR | Importe Total | TOTAL EUROS | Total € | Total (IVA incl.) | TOTAL COMPRA | A pagar | Total Factura | TOTAL (€) | Importe a pagar | TOTAL IVA INCLUIDO | Total Ticket
pretotal: Total | Subtotal | Suma
cash: Efectivo | EFECTIVO | Entregado | Metálico | Contado | Entrega | ENTREGADO | Su pago | Recibido | Efectivo entregado | PAGO EFECTIVO
change: Cambio | CAMBIO | Devolución | A devolver | Su cambio | Vuelto | DEVOLUCION | Cambio entregado
card: Tarjeta | TARJETA | Tarjeta Bancaria | VISA | Tarjeta Crédito | Mastercard | TARJETA DE CREDITO | Tarj. Débito | Bizum | TARJETA BANCARIA | Visa | Pago Tarjeta
paid: Pagado | Pago | Forma de pago
discount: Descuento | DTO | Dto. | DESCUENTO | Promoción | Oferta | Cupón | Vale | Descuento Total | Ahorro | Dto. Socio
tip: Propina | PROPINA | Servicio
rounding: Redondeo
date: Fecha | FECHA | Fecha: | Fecha factura | Fecha/Hora | Fec. | F.
time: Hora | HORA
tel: Tel | Tfno | TEL | Tel. | Teléfono | Telf. | Tlf | Tfno.
fax: Fax
cashier: Cajero | Le atendió | Camarero | Vendedor | Atendido por | Cajera | Empleado | Dependiente | Le atiende | Operador | CAJERO
station: Caja | CAJA | Tienda | Terminal | TPV | Sucursal | Puesto
table: Mesa | MESA | Mesa Nº
guests: Comensales | Personas | Pax | Cubiertos
kind: Para llevar | Comer aquí | Salón | Barra | Terraza | Domicilio
qty: Cant. | Cant | UDS | Unid. | Ud. | Cantidad | CANT
item: Descripción | Artículo | Concepto | DESCRIPCION | Producto | ARTICULO | Denominación
price: Precio | P.Unit | PVP | P. Unit. | Pr.Unit | PRECIO | P/U
amount: Importe | Total | IMPORTE | Euros | TOTAL | (€) | Subtotal
items_sold: Nº Artículos | Total artículos | Artículos | Nº Productos | NUM. ARTICULOS | Unidades | Num Lin | Total de Art.
savings: Usted ha ahorrado | Ha ahorrado | Ahorro total | Total ahorrado
net: Base | Base Imponible | B.Imp. | Neto
gross: Total | Importe | TOTAL | Imp. Total
included: IVA incluido | Impuestos incluidos | I.V.A. INCLUIDO
copy: Copia Cliente | COPIA PARA EL CLIENTE | Duplicado | Ejemplar Cliente | COPIA
document: FACTURA SIMPLIFICADA | Ticket | TICKET | Factura Simplificada | Recibo | Nota | Ticket de Venta | FACTURA | Comprobante | Nota de Consumo
approval: Nº Autorización | AUT. | Nº Operación | Autorización | Ref.
approved: OPERACION ACEPTADA | Operación aprobada | Firma no necesaria | CONTACTLESS | Pago aceptado | Aprobada
slip: Comercio | TPV | AID | Nº Tarjeta | Terminal | ARC | Etiq. App | Lote
member: Socio | Cliente | Tarjeta Club | Puntos | Nº Cliente
welcome: Bienvenidos | Bienvenido a | Desde 1965 | Comida casera | Su tienda de confianza | Especialidad en carnes | Calidad y servicio | Gracias por elegirnos | Productos frescos
hours: Abierto de 9:00 a 21:00 | Lunes a Sábado 9:30-20:30 | Horario: 10h - 22h | Cerrado lunes
thanks: Gracias por su visita | GRACIAS POR SU VISITA | Gracias por su compra | Vuelva pronto | Hasta pronto | Muchas gracias | GRACIAS POR SU COMPRA | Le esperamos | ¡Gracias! | Gracias por su preferencia
policy: No se admiten devoluciones sin ticket | Cambios y devoluciones 15 días | Conserve este ticket | Plazo devolución 30 días | IVA incluido | No se aceptan cambios | Imprescindible ticket para cambios
survey: Síganos en Facebook | Visite nuestra web | Valore su experiencia | Descargue la app | WIFI: {coin}{n2} | Facture en línea | Software {coin} | Opine y gane
gratuity: Propina no incluida | Propina sugerida
tip_line: Propina
signature: Firma | Firma Cliente
person: {given} | {given} {letter}. | {family} | {given} {family} | Caja {n} | {d3}
modifier: sin hielo | poco hecho | sin cebolla | con leche | + patatas | al punto
savings_line: Descuento | Promo | Oferta | Dto 10%
summary: Desglose IVA | Detalle IVA | Impuestos
"""

_ITALIAN = """
subtotal: Subtotale | SUBTOTALE | Sub-totale | Imponibile | SUB TOTALE | Totale imponibile | Parziale
tax: di cui IVA | IVA | I.V.A. | DI CUI IVA | Totale IVA | IVA {rate}% | Imposta | IVA {rate},00% | di cui iva
tax_name: IVA
total: TOTALE | TOTALE EURO | TOTALE COMPLESSIVO | Totale | TOTALE € | Totale complessivo | Totale Euro | TOTALE EUR | Importo | Da pagare | TOT. EURO | TOTALE DOCUMENTO | Totale da pagare | IMPORTO PAGATO | Tot. Complessivo
pretotal: Subtotale | Totale | Totale parziale
cash: Contanti | CONTANTI | Contante | Pagamento contante | PAGAMENTO CONTANTE | Importo pagato | Contanti Euro | Ricevuto
change: Resto | RESTO | Resto Euro | RESTO EURO
card: Carta | Bancomat | Pagamento elettronico | PAGAMENTO ELETTRONICO | Carta di Credito | BANCOMAT | POS | Visa | Carta Credito | Satispay | Buoni Pasto | Elettronico | Ticket
paid: Pagato | Pagamento | IMPORTO PAGATO
discount: Sconto | SCONTO | Sconto 10% | Abbuono | Buono | Promo | Sconto Tessera | Sconto Totale | Omaggio
tip: Mancia | Servizio | Servizio 10% | SERVIZIO
rounding: Arrotondamento | ARROTONDAMENTO
date: Data | DATA | del | Data: | Data e ora | li
time: Ora | ORE | Ora: | ore
tel: Tel | Tel. | TEL | Telefono | T. | TEL.
fax: Fax | FAX
cashier: Operatore | Cassiere | OPERATORE | Cassa | Cameriere | Op. | Servito da | Addetto
station: Cassa | CASSA | Pos | Terminale | Negozio | Punto Vendita
table: Tavolo | TAVOLO | Tav. | Tav
guests: Coperti | COPERTI | Persone
kind: Asporto | Sala | Banco | Da asporto | Terrazza
qty: Qtà | Q.tà | QTA | Quantità | Pz
item: Descrizione | DESCRIZIONE | Articolo | Prodotto | Reparto
price: Prezzo | Prezzo Un. | P.Unit. | Pr. Unit. | Cad.
amount: Prezzo(€) | Importo | EURO | Prezzo € | Totale | EUR | IMPORTO | Prezzo
items_sold: N. Pezzi | Articoli | PEZZI | N. articoli | Totale pezzi | Num. Articoli
savings: Hai risparmiato | Totale sconti | Risparmio
net: Imponibile | Netto | IMPONIBILE
gross: Lordo | Totale | TOTALE | Importo
included: di cui IVA | IVA inclusa | IVA compresa
copy: Copia Cliente | COPIA CLIENTE | Copia Esercente | Copia
document: DOCUMENTO COMMERCIALE di vendita o prestazione | Scontrino Fiscale | DOCUMENTO COMMERCIALE | Ricevuta Fiscale | Preconto | NON FISCALE | Documento Gestionale | Fattura | Conto
approval: Aut. | Cod. Autorizz. | AUTORIZZAZIONE | Numero Op.
approved: TRANSAZIONE APPROVATA | Transazione eseguita | CONTACTLESS | PIN verificato
slip: TML | AID | Eserc. | A.I.I.C. | Term. | Pan | Stan | Mat.
member: Carta Fedeltà | Tessera | Punti | Cliente | Carta n.
welcome: Benvenuti | Dal 1958 | Cucina tipica | Pasta fatta in casa | La tradizione | Il tuo supermercato | Artigiani dal 1970 | Forno a legna | Prodotti tipici
hours: Aperto 9:00 - 19:30 | Lun-Sab 8-20 | Chiuso il lunedì | Aperti anche la domenica
thanks: Grazie e arrivederci | ARRIVEDERCI E GRAZIE | Grazie per la visita | Grazie della visita | Arrivederci | GRAZIE | Vi aspettiamo | Grazie e a presto | GRAZIE E ARRIVEDERCI
policy: Conservare lo scontrino | Cambio merce entro 7 giorni | Non si effettuano resi | Cambio entro 30 gg con scontrino | Prezzi IVA inclusa | Conservare per la garanzia
survey: Seguici su Facebook | Visita il sito | Scarica la app | Codice Lotteria {letter}{n4}{letter}{n2} | Server RT | WiFi: {coin}{n2} | Lascia una recensione
gratuity: Servizio non incluso | Coperto e servizio inclusi
tip_line: Mancia
signature: Firma | Firma Cliente
person: {given} | {family} | OP {n} | {d2} | Cassa {n} | {given} {letter}.
modifier: al sangue | senza cipolla | ben cotta | con ghiaccio | + mozzarella
savings_line: Sconto | Promo | Offerta
summary: Riepilogo IVA | Dettaglio IVA
"""

_DUTCH = """
subtotal: Subtotaal | SUBTOTAAL | Sub-totaal | Totaal excl. BTW | Bedrag excl. | Tussentotaal
tax: BTW | BTW {rate}% | Btw | Totaal BTW | BTW Bedrag | BTW hoog {rate}% | waarvan BTW | incl. BTW | BTW laag
tax_name: BTW
total: Totaal | TOTAAL | Te betalen | TE BETALEN | Totaal EUR | Totaalbedrag | Eindtotaal | Totaal te betalen | TOTAAL EUR | Totaal incl. BTW | Bedrag | Totaal €
pretotal: Totaal | Subtotaal
cash: Contant | CONTANT | Kontant | Contant ontvangen | Cash | Ontvangen
change: Wisselgeld | Terug | WISSELGELD | Retour | Teruggave | Wisselgeld EUR
card: PIN | Pin | Pinpas | Bankpas | PINNEN | Maestro | V PAY | Creditcard | Betaalpas | VISA | Mastercard | Cadeaubon | Bancontact | Pinnen | Debit Mastercard
paid: Betaald | Betaling | Voldaan
discount: Korting | KORTING | Bonus | Actie | Kortingsbon | Voordeel | Uw voordeel | Personeelskorting | Bonuskorting
tip: Fooi | FOOI | Tip | Service
rounding: Afronding | Afrondingsverschil | AFRONDING
date: Datum | DATUM | Datum: | Datum/tijd | Factuurdatum
time: Tijd | tijd
tel: Tel | Tel. | Telefoon | T | TEL
fax: Fax
cashier: Kassa | Medewerker | U bent geholpen door | Bediening | Kassière | Caissière | Verkoper | Ober | Geholpen door
station: Kassa | Filiaal | Terminal | Kassanr | POS
table: Tafel | TAFEL | Tafel nr
guests: Gasten | Personen | Couverts
kind: Afhalen | Meenemen | Hier opeten | Bezorgen | Terras
qty: Aantal | Aant. | AANTAL | St.
item: Omschrijving | Artikel | OMSCHRIJVING | Product
price: Prijs | Stukprijs | PRIJS | Per stuk
amount: Bedrag | Totaal | BEDRAG | EUR | Euro
items_sold: Aantal artikelen | AANTAL ARTIKELEN | Artikelen | Aantal
savings: Uw voordeel | Totale korting | Waarvan bonus
net: Netto | Over | Excl. | Grondslag
gross: Bruto | Incl. | Totaal | Bedrag incl.
included: incl. BTW | waarvan BTW | Inclusief BTW
copy: KOPIE KAARTHOUDER | Klantticket | KLANTTICKET | Kopie | Klantbon
document: KASSABON | Bon | Factuur | Rekening | REKENING | Kassabon | Nota
approval: Autorisatiecode | Transactie | Autorisatie | Periode | Kaartserienr.
approved: AKKOORD | Akkoord | Betaling geslaagd | CONTACTLOZE TRANSACTIE
slip: Terminal | Merchant | Kaart | Periode | AID | Leesmethode | POI
member: Klantkaart | Spaarpunten | Klantnr. | Bonuskaart | Lidnr
welcome: Welkom bij | Sinds 1932 | Vers en voordelig | Uw buurtwinkel | Gewoon lekker | Ambachtelijke bakker | De lekkerste
hours: Ma-Za 8.00 - 20.00 uur | Open 7 dagen per week | Maandag gesloten | Dagelijks geopend 10-22 uur
thanks: Bedankt voor uw bezoek | Bedankt en tot ziens | BEDANKT EN TOT ZIENS | Tot ziens! | Bedankt voor uw aankoop | Graag tot ziens | Vriendelijk bedankt | Eet smakelijk | Fijne dag
policy: Ruilen binnen 14 dagen met bon | Bewaar uw bon goed | Geen geld terug | Ruilen alleen met kassabon | Afgeprijsde artikelen niet ruilen | Bon geldt als garantiebewijs
survey: Volg ons op Facebook | Geef uw mening | Download de app | Wifi: {coin}{n2} | Bezoek onze website | Spaar mee
gratuity: Fooi niet inbegrepen | Fooi
tip_line: Fooi
signature: Handtekening
person: {given} | {given} {letter}. | {d4} | {family} | Kassa {n}
modifier: zonder ui | met ijs | extra kaas | medium | + friet
savings_line: Bonus | Korting | Actie | 2 voor 3.00
summary: BTW overzicht | BTW specificatie
"""

_PORTUGUESE = """
subtotal: Subtotal | SUBTOTAL | Sub-total | Sub Total | Total Ilíquido | Base | Valor dos produtos | Total Bruto
tax: IVA | Total IVA | IVA {rate}% | I.V.A. | Valor IVA | IVA incluído | Imposto | Total de IVA
tax_name: IVA
total: TOTAL | Total | Total a Pagar | TOTAL A PAGAR | TOTAL EUR | Total Documento | Valor Total | VALOR TOTAL R$ | TOTAL € | Total Geral | Total Líquido | Importância | Valor a Pagar R$ | A PAGAR
pretotal: Total | Subtotal | Total Bruto
cash: Numerário | Dinheiro | DINHEIRO | Entregue | Entregue Numerário | Pago em Dinheiro | Valor Entregue | Em Numerário
change: Troco | TROCO | Troco EUR | Troco R$
card: Multibanco | MULTIBANCO | Cartão | Cartão de Crédito | Visa | Cartão Débito | MB WAY | Pix | Cartão Crédito | CARTAO DE CREDITO | MB | Mastercard
paid: Pago | Pagamento | Valor Pago | Forma Pagamento
discount: Desconto | DESCONTO | Descontos | Desc. | Promoção | Vale | Desconto Total | Cupão | Desconto Cartão
tip: Gorjeta | Serviço | Taxa de Serviço | Serviço 10% | Gratificação
rounding: Arredondamento
date: Data | DATA | Data Emissão | Data: | Emissão | Data/Hora | Emitido em
time: Hora | HORA | Horas
tel: Tel | Telef. | Tel. | Telefone | Fone | TEL | Telf
fax: Fax
cashier: Operador | Empregado | Caixa | Vendedor | Atendido por | Atendente | Funcionário | OPERADOR
station: Caixa | Loja | Terminal | Posto | CAIXA | PDV
table: Mesa | MESA | Mesa Nº
guests: Pessoas | Pax | Clientes
kind: Balcão | Sala | Esplanada | Take-away | Para levar | Consumo local
qty: Qtd | Qtd. | Quant. | QTD | Qt.
item: Descrição | Artigo | DESCRICAO | Designação | Produto
price: Preço | P.Unit. | Pr. Unit. | VL UNIT | P.U. | Preço Un.
amount: Valor | Total | VALOR | EUR | VL TOTAL | Importe | Valor R$
items_sold: Nº Artigos | Qtd. total de itens | Total Artigos | Artigos | N. Itens | Unidades
savings: Poupou | Total de descontos | Poupança
net: Base | Líquido | Incidência | Base Incid.
gross: Total | Valor | Total c/IVA | TOTAL
included: IVA incluído | IVA incl. à taxa em vigor | Tributos Totais Incidentes
copy: Original | ORIGINAL | Via Cliente | 2ª Via | Duplicado | VIA CLIENTE
document: Fatura Simplificada | FATURA SIMPLIFICADA | Fatura-Recibo | Talão de Venda | CUPOM FISCAL ELETRONICO | Consulta de Mesa | Recibo | FATURA | Extrato CF-e
approval: Autorização | Aut. | NSU | AUT | Nº Operação
approved: TRANSAÇÃO APROVADA | Aprovado | Operação autorizada | COMPRA AUTORIZADA
slip: Terminal | AID | Estab. | Período | TPA | Comerciante | DOC
member: Cliente | Cartão | Pontos | Cartão Cliente | NIF Cliente
welcome: Bem-vindo | Desde 1975 | Cozinha tradicional | Fabrico próprio | Sempre consigo | Qualidade e preço | Especialidades da casa
hours: Aberto das 9h às 20h | Aberto todos os dias | Encerra à segunda-feira | Horário: 8h-22h
thanks: Obrigado pela sua visita | Obrigado e volte sempre | OBRIGADO PELA PREFERENCIA | Volte sempre | Obrigado | Agradecemos a sua visita | OBRIGADO PELA VISITA | Até breve
policy: Trocas só com talão | Guarde o talão | Não se aceitam devoluções | Trocas no prazo de 15 dias | Processado por programa certificado | Os bens foram colocados à disposição na data do documento
survey: Siga-nos no Facebook | Visite o nosso site | {letter}{letter}{letter}{letter}-Processado por programa certificado n. {n4}/AT | Descarregue a app | WiFi: {coin}{n2} | Avalie-nos | ATCUD:{letter}{letter}{letter}{n}{letter}{n2}-{n4}
gratuity: Gorjeta não incluída
tip_line: Gorjeta
signature: Assinatura
person: {given} | {given} {family} | {d3} | Caixa {n} | {family}
modifier: mal passado | sem gelo | bem passado | sem cebola | + ovo
savings_line: Desconto | Promo | Poupança
summary: Resumo IVA | Resumo de IVA | Taxas
"""

_LANGUAGES = {"de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "it": _ITALIAN, "nl": _DUTCH, "pt": _PORTUGUESE}
_COUNTRIES = {
    "MY": _MALAYSIA, "SG": _MALAYSIA, "GB": _BRITAIN, "IE": _BRITAIN, "AU": _AUSTRALIA, "IN": _INDIA, "CA": _CANADA,
}  # fmt: skip


@cache
def words(language: str, country: str) -> Rules:
    """Every list of words for a till in this country. English fills what a language lacks."""
    merged = {"summary": ("Tax Summary", "TAX SUMMARY"), **rules(_ENGLISH)}
    merged |= rules(_LANGUAGES.get(language, ""))
    return merged | rules(_COUNTRIES.get(country, ""))
