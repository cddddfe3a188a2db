"""The same invoice as XML in the three syntaxes that are read."""

_CII = """<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
 xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter>
 <ram:ID>urn:cen.eu:en16931:2017</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>R-4711</ram:ID><ram:TypeCode>{type_code}</ram:TypeCode>
 <ram:IssueDateTime><udt:DateTimeString format="102">20260315</udt:DateTimeString></ram:IssueDateTime>
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
 <ram:IncludedSupplyChainTradeLineItem>
  <ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument>
  <ram:SpecifiedTradeProduct><ram:SellerAssignedID>A-1</ram:SellerAssignedID><ram:Name>Oak board</ram:Name>
  </ram:SpecifiedTradeProduct>
  <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>5000.00</ram:ChargeAmount>
   <ram:BasisQuantity unitCode="C62">100</ram:BasisQuantity></ram:NetPriceProductTradePrice>
  </ram:SpecifiedLineTradeAgreement>
  <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">2</ram:BilledQuantity>
  </ram:SpecifiedLineTradeDelivery>
  <ram:SpecifiedLineTradeSettlement>
   <ram:ApplicableTradeTax><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>
   <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>100.00</ram:LineTotalAmount>
   </ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement>
 </ram:IncludedSupplyChainTradeLineItem>
 <ram:ApplicableHeaderTradeAgreement>
  <ram:SellerTradeParty><ram:Name>Holzhof GmbH</ram:Name>
   <ram:PostalTradeAddress><ram:PostcodeCode>80333</ram:PostcodeCode><ram:LineOne>Waldweg 1</ram:LineOne>
    <ram:CityName>München</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>
   <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">201/113/40209</ram:ID></ram:SpecifiedTaxRegistration>
   <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration>
  </ram:SellerTradeParty>
  <ram:BuyerTradeParty><ram:Name>Bau AG</ram:Name></ram:BuyerTradeParty>
 </ram:ApplicableHeaderTradeAgreement>
 <ram:ApplicableHeaderTradeSettlement>
  <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
  <ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount>
   <ram:IBANID>DE02 1203 0000 0000 2020 51</ram:IBANID></ram:PayeePartyCreditorFinancialAccount>
  </ram:SpecifiedTradeSettlementPaymentMeans>
  <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
   <ram:LineTotalAmount>100.00</ram:LineTotalAmount>
   <ram:TaxTotalAmount currencyID="EUR">{tax}</ram:TaxTotalAmount>
   <ram:TaxTotalAmount currencyID="USD">22.00</ram:TaxTotalAmount>
   <ram:GrandTotalAmount>{total}</ram:GrandTotalAmount>
  </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
 </ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>"""

_UBL = """<?xml version="1.0" encoding="UTF-8"?>
<{root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:{root}-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
<cbc:ID>R-4711</cbc:ID><cbc:IssueDate>2026-03-15</cbc:IssueDate>
<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty><cac:Party>
 <cac:PostalAddress><cbc:StreetName>Waldweg 1</cbc:StreetName><cbc:CityName>München</cbc:CityName>
  <cbc:PostalZone>80333</cbc:PostalZone>
  <cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
 <cac:PartyTaxScheme><cbc:CompanyID>DE123456789</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>
 </cac:PartyTaxScheme>
 <cac:PartyLegalEntity><cbc:RegistrationName>Holzhof GmbH</cbc:RegistrationName></cac:PartyLegalEntity>
</cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party><cac:PartyName><cbc:Name>Bau AG</cbc:Name></cac:PartyName></cac:Party>
</cac:AccountingCustomerParty>
<cac:PaymentMeans><cac:PayeeFinancialAccount><cbc:ID>DE02120300000000202051</cbc:ID></cac:PayeeFinancialAccount>
</cac:PaymentMeans>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
 <cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
<cac:{line}Line><cbc:{quantity}Quantity unitCode="C62">2</cbc:{quantity}Quantity>
 <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
 <cac:Item><cbc:Name>Oak board</cbc:Name>
  <cac:SellersItemIdentification><cbc:ID>A-1</cbc:ID></cac:SellersItemIdentification>
  <cac:ClassifiedTaxCategory><cbc:Percent>19</cbc:Percent></cac:ClassifiedTaxCategory></cac:Item>
 <cac:Price><cbc:PriceAmount currencyID="EUR">5000.00</cbc:PriceAmount><cbc:BaseQuantity>100</cbc:BaseQuantity>
 </cac:Price></cac:{line}Line>
</{root}>"""

_ZUGFERD_1_NAMES = (
    ("urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100", "urn:ferd:CrossIndustryDocument:invoice:1p0"),
    ("BusinessInformationEntity:100", "BusinessInformationEntity:12"),
    ("UnqualifiedDataType:100", "UnqualifiedDataType:15"),
    ("rsm:CrossIndustryInvoice", "rsm:CrossIndustryDocument"),
    ("rsm:ExchangedDocumentContext", "rsm:SpecifiedExchangedDocumentContext"),
    ("rsm:ExchangedDocument>", "rsm:HeaderExchangedDocument>"),
    ("rsm:SupplyChainTradeTransaction", "rsm:SpecifiedSupplyChainTradeTransaction"),
    ("ApplicableHeaderTrade", "ApplicableSupplyChainTrade"),
    ("SettlementHeaderMonetarySummation", "SettlementMonetarySummation"),
    ("ram:SpecifiedLineTrade", "ram:SpecifiedSupplyChainTrade"),
    ("SettlementLineMonetarySummation", "SettlementMonetarySummation"),
    ("RateApplicablePercent", "ApplicablePercent"),
)


def cii(total: str = "119.00", tax: str = "19.00", type_code: str = "380") -> bytes:
    """Return a Factur-X or XRechnung file."""
    return _CII.format(total=total, tax=tax, type_code=type_code).encode()


def zugferd_1() -> bytes:
    """Return a file of the first edition, whose elements have other names."""
    text = cii().decode()
    for new, old in _ZUGFERD_1_NAMES:
        text = text.replace(new, old)
    return text.encode()


def ubl(credit_note: bool = False) -> bytes:
    """Return an XRechnung or Peppol file."""
    if credit_note:
        return _UBL.format(root="CreditNote", line="CreditNote", quantity="Credited").encode()
    return _UBL.format(root="Invoice", line="Invoice", quantity="Invoiced").encode()
