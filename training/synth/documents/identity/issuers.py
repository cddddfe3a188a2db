"""Countries as they issue documents: what they call themselves, whom, and how their numbers and dates look.

Plain facts in short lists for `grammar`, as in `locales`; towns and streets are those of the locale where there is
one. Numbers have the right form and belong to nobody.
"""

# ruff: noqa: E501 - lists of words; broken at 120 they read no better

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from docextract.documents.values import DateOrder
from training.synth.documents.grammar import Rules, rules
from training.synth.documents.locales import locales

NameStyle = Literal["apart", "together", "whole"]  # two fields; one line for both; one field: the name has no parts
LicenceStyle = Literal["numbered", "american", "plain"]  # as in the EU; as AAMVA has it; labels alone


@dataclass(frozen=True)
class Issuer:
    """One country. `lists` fills the templates for names of places, authorities and numbers."""

    code: str  # ISO 3166-1 alpha-3
    weight: float
    languages: tuple[str, ...]  # of its labels, its own first
    date_order: DateOrder
    name_style: NameStyle
    licence_style: LicenceStyle
    lists: Rules

    def options(self, *keys: str) -> tuple[str, ...]:
        """The first of these lists that this country has; none where it has none."""
        return next((self.lists[key] for key in keys if key in self.lists), ())

    def dates(self, kind: str) -> tuple[str, ...]:
        """Templates of `print_date` for one type of document; {mon2} is the month in a second language."""
        named = self.options(f"dates_{kind}")
        own = self.options("dates_own")
        return own if own and not named else rules("dates: " + _DATES[(named or self.lists["dates"])[0]])["dates"]


_DATES = {
    "dots": "{d:02}.{m:02}.{y} | {d:02}.{m:02}.{y} | {d:02}.{m:02}.{y} | {d:02}. {m:02}. {y} | {d:02}.{m:02}.{y}. | {d:02} {m:02} {y}",
    "slashes": "{d:02}/{m:02}/{y} | {d:02}/{m:02}/{y} | {d:02}/{m:02}/{y} | {d:02} {m:02} {y} | {d:02}-{m:02}-{y}",
    "spaces": "{d:02} {m:02} {y} | {d:02} {m:02} {y} | {d:02}/{m:02}/{y} | {d:02}.{m:02}.{y}",
    "dashes": "{d:02}-{m:02}-{y} | {d:02}-{m:02}-{y} | {d:02} {m:02} {y} | {d:02}/{m:02}/{y}",
    "months": "{d:02} {mon} {y} | {d:02} {mon} {y} | {d:02} {mon}/{mon2} {y} | {d:02} {mon} / {mon2} {y} | {d:02} {mon}/{mon2} {s:02} | {d:02} {mon} /{mon2} {y} | {d:02}-{mon}-{y} | {d:02} {mon2} {y} | {d:02}.{m:02}.{y}",
    "english": "{d:02} {mon} {y} | {d:02} {mon} {y} | {d:02} {mon} {y} | {d:02}-{mon}-{y} | {d:02} {month} {y} | {d:02}/{m:02}/{y} | {d:02}-{m:02}-{y}",
    "iso": "{y}-{m:02}-{d:02} | {y}-{m:02}-{d:02} | {y} {m:02} {d:02} | {y}.{m:02}.{d:02} | {y}/{m:02}/{d:02}",
    "american": "{m:02}/{d:02}/{y} | {m:02}/{d:02}/{y} | {m:02}/{d:02}/{y} | {m:02}-{d:02}-{y} | {m}/{d}/{y} | {m:02}/{d:02}/{s:02}",
}  # fmt: skip

# Lists that every country's templates may use. {a} is what machine-readable zones confuse least.
_ANYWHERE = """
a: C | F | G | H | J | K | L | M | N | P | R | T | V | W | X | Y | Z | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
ll: {letter}{letter}
passport: {ll}{n7} | {letter}{n8} | {ll}{n6} | {n9} | {letter}{n7}
id_card: {n9} | {ll}{n6} | {letter}{n8} | {ll}{n7}
driver_licence: {n9} | {n8} | {ll}{n6} | {letter}{n7} | {n5}/{d2}/{n4}
sex_f: F
sex_m: M
categories: AM | A1 | A | B1 | B | BE | C1 | C1E | C | CE | D1 | D1E | D | DE | F | L | T
codes: 01 | 01.06 | 78 | 95 | 05.01 | 79.03 | 106 | 171, 175 | 70.UK.
street: {coin} | {coin}
town: {coin}
address: {street} {num}, {town} | {street} {num}, {n4} {town}
authority: MINISTRY OF INTERIOR | {town}
"""

_ISSUERS: Mapping[str, str] = {
    "DEU": """
languages: de en fr | de en | de
weight: 3
dates: dots
heading: BUNDESREPUBLIK DEUTSCHLAND | FEDERAL REPUBLIC OF GERMANY | RÉPUBLIQUE FÉDÉRALE D'ALLEMAGNE
sign: D
nationality: DEUTSCH
country_code: D
people: german
passport: C{a}{a}{a}{a}{a}{a}{a}{d} | {letter}{a}{a}{a}{a}{a}{a}{a}{a}
id_card: L{a}{a}{a}{a}{a}{a}{a}{a} | T{n8} | {letter}{a}{a}{a}{a}{a}{a}{a}{d} | {n10}
driver_licence: {letter}{d}{a}{a}{a}{a}{a}{a}{a}{d}{n} | {letter}{d3}{a}{a}{a}{a}{a}{d2}
authority: STADT {town} | Stadt {town} | LANDESHAUPTSTADT {town} | Bürgeramt {town} | Stadt {town} Bürgerdienste | LANDRATSAMT {town}
authority_driver_licence: Stadt {town} | Landkreis {town} | LANDRATSAMT {town} | Landratsamt {town}
address: {n5} {town}, {street} {num} | {street} {num}, {n5} {town} | {n5} {town} {street} {num}
""",
    "AUT": """
languages: de en fr | de en
dates: dots
heading: REPUBLIK ÖSTERREICH | REPUBLIC OF AUSTRIA | RÉPUBLIQUE D'AUTRICHE
sign: A
nationality: ÖSTERREICH | Österreich | AUSTRIA
people: german
passport: {letter}{n7} | {ll}{n7}
id_card: {n8} | {ll}{n7}
driver_licence: {n8} | {d2}{n6}
authority: BH {town} | MAGISTRAT {town} | Bezirkshauptmannschaft {town} | MAGISTRAT WIEN MBA {n2} | LPD {town}
address: {n4} {town}, {street} {num}/{n2} | {street} {num}, {n4} {town}
""",
    "CHE": """
languages: de fr it en | fr de it en | de fr en
dates: dots
heading: SCHWEIZERISCHE EIDGENOSSENSCHAFT | CONFÉDÉRATION SUISSE | CONFEDERAZIONE SVIZZERA | SWISS CONFEDERATION
sign: CH
nationality: SCHWEIZ | CHE | SCHWEIZ SUISSE SVIZZERA
people: german
passport: X{n7} | X{a}{a}{a}{a}{a}{d2}
id_card: E{n7} | C{n7} | S{n7}
driver_licence: {n12}
authority: {town} ZH | Kanton {town} | Kantonspolizei {town} | {town} BE | Strassenverkehrsamt {town}
birth_place: {town} ZH | {town} BE | {town} SG | {town}
address: {street} {num}, {n4} {town}
""",
    "FRA": """
languages: fr en | fr en | fr | fr en es
weight: 3
dates: slashes
heading: RÉPUBLIQUE FRANÇAISE | REPUBLIQUE FRANCAISE | FRENCH REPUBLIC
sign: F
nationality: Française | FRANÇAISE | FRA | Française/FRA
people: french
passport: {d2}{letter}{letter}{n5}
id_card: {letter}{d}{letter}{a}{a}{a}{a}{d2} | {n12} | X{d}{letter}{a}{a}{a}{a}{d2}
driver_licence: {d2}{ll}{d5} | {n12}
authority: Préfecture de {town} | PRÉFECTURE DE POLICE | Préfecture de police de Paris | Sous-préfecture de {town} | Ministère de l'Intérieur | Préfecture du Rhône ({n2})
birth_place: {town} ({n2}) | {town} | {town} {n2}E | {town} ({n2})
address: {num} {rue} {ruename} {n5} {town} | {num}, {rue} {ruename} {n5} {town}
""",
    "BEL": """
languages: nl fr de en | fr nl de en | nl fr en
dates: spaces
heading: BELGIË | BELGIQUE | BELGIEN | BELGIUM | KONINKRIJK BELGIË | ROYAUME DE BELGIQUE | KINGDOM OF BELGIUM
sign: B
nationality: Belg | Belge | BEL | BELG / BELGE
people: dutch
passport: E{ll}{n6} | G{ll}{n6}
id_card: {n3}-{d7}-{d2} | 592-{d7}-{d2} | B{d9} {d2}
driver_licence: {n10}
personal: {yy}.{mm}.{dd}-{d3}.{d2} | {yymmdd} {d3} {d2}
authority: {town} | Gent | Bruxelles | Ville de {town} | Stad {town} | Ixelles
locale: NL
town: Gent | Antwerpen | Brugge | Leuven | Bruxelles | Liège | Namur | Charleroi | Mons | Ixelles | Mechelen | Hasselt | Oostende | Kortrijk | Schaerbeek | Etterbeek | Aalst
address: {street} {num}, {n4} {town} | {street} {num} bus {n}, {n4} {town}
""",
    "LUX": """
languages: fr de en | fr en
dates: dots
heading: GRAND-DUCHÉ DE LUXEMBOURG | GROUSSHERZOGTUM LËTZEBUERG | GRAND DUCHY OF LUXEMBOURG | LUXEMBOURG
sign: L
nationality: LUX | luxembourgeoise
people: french
personal: {yyyy}{mm}{dd}{d5}
locale: FR
town: Luxembourg | Esch-sur-Alzette | Differdange | Dudelange | Ettelbruck | Diekirch | Wiltz | Echternach
authority: Ministère des Affaires étrangères | Bureau des Passeports | COMMUNE DE {town}
address: {num}, {rue} {ruename} L-{n4} {town}
""",
    "NLD": """
languages: nl en fr | nl en
weight: 2
dates: months
heading: KONINKRIJK DER NEDERLANDEN | KINGDOM OF THE NETHERLANDS | ROYAUME DES PAYS-BAS | NEDERLAND
sign: NL
nationality: Nederlandse | NEDERLANDSE
people: dutch
passport: {letter}{letter}{a}{a}{a}{a}{a}{a}{d} | N{letter}{n7}
id_card: I{letter}{a}{a}{a}{a}{a}{a}{d} | {ll}{n7}
driver_licence: {n10} | 5{n9}
personal: {n9}
sex_f: V/F
sex_m: M/M
authority: Burg. van {town} | Burgemeester van {town} | Gemeente {town} | Gemeente {town} | Min. van BuZa
address: {street} {num}, {n4}{ll} {town}
""",
    "ITA": """
languages: it en fr | it en | it
weight: 2
dates: slashes
heading: REPUBBLICA ITALIANA | ITALIAN REPUBLIC | RÉPUBLIQUE ITALIENNE | ITALIA
sign: I
nationality: ITALIANA | ITA | Italiana
people: italian
passport: {ll}{n7} | YA{n7}
id_card: CA{n5}{ll} | {ll}{n7} | {ll} {n7} | AX{n7}
driver_licence: {letter}{letter}{n7}{letter} | U1{n7}{letter} | MI{n7}{letter}
personal: {letter}{letter}{letter}{letter}{letter}{letter}{yy}{letter}{dd}{letter}{n3}{letter}
authority: MINISTRO AFFARI ESTERI | MINISTERO DELL'INTERNO | COMUNE DI {town} | Questura di {town} | QUESTURA {town}
authority_driver_licence: MC-{ll} | MIT-UCO | MCTC-{ll}
birth_place: {town} ({ll}) | {town} | {town} {ll}
address: {street} N. {num} {town} ({ll}) | {street}, {num} {n5} {town} ({ll})
""",
    "ESP": """
languages: es en | es | es en fr
weight: 2
dates: spaces
heading: ESPAÑA | REINO DE ESPAÑA | KINGDOM OF SPAIN | SPAIN
sign: E
nationality: ESP | ESPAÑOLA | Española
people: spanish
passport: {ll}{ll2}{n6} | {letter}{ll}{n6} | XD{ll}{n6}
ll2: {letter}
id_card: {n8}{letter} | {n8} {letter} | {n8}-{letter} | B{ll}{n6}
driver_licence: {n8}-{letter} | {n8}{letter}
personal: {n8}{letter}
authority: DIRECCIÓN GENERAL DE LA POLICÍA | MINISTERIO DEL INTERIOR | {n5}L6D1 | DGP
authority_driver_licence: {n2}/{n2} | DGT {town} | J.P.T. {town}
address: C. {callename} {num} P02 B {town} | {calle} {callename} {num} {town} | {calle} {callename}, {num} {n}ª {letter} {n5} {town}
""",
    "PRT": """
languages: pt en | pt en fr | pt
dates: spaces
heading: REPÚBLICA PORTUGUESA | PORTUGUESE REPUBLIC | PORTUGAL
sign: P
nationality: PRT | PORTUGUESA | Portuguesa
people: portuguese
passport: {letter}{n6} | C{ll}{n6}
id_card: {n8} {d} {ll}{d} | {n8} {d} Z{letter}{d} | {n8}
driver_licence: {letter}-{n6} {d} | {ll}-{n6} {d} | L-{n7} {d}
personal: {n9}
authority: SEF | IRN I.P. | SEF - SERV ESTR E FRONTEIRAS | IRN
authority_driver_licence: IMT {town} | IMTT | IMT
address: {rua} {ruaname} {num} {n4}-{d3} {town}
""",
    "GBR": """
languages: en | en fr | en
weight: 3
dates: english
heading: UNITED KINGDOM OF GREAT BRITAIN AND NORTHERN IRELAND | UNITED KINGDOM
sign: UK
nationality: BRITISH CITIZEN
people: english
passport: {n9}
id_card: {ll}{n7} | ZU{n7}
driver_licence: {letter}{letter}{letter}{letter}{letter}{d}{mm}{dd}{d}{letter}{d}{letter}{letter} | {letter}{letter}{letter}{letter}9{d}{mm}{dd}{d}{letter}9{ll} {d2}
authority: HMPO | IPS | UKPA | HM PASSPORT OFFICE | HOME OFFICE
authority_driver_licence: DVLA | DVLA | DVA
dates_driver_licence: dots
birth_place: {town}
birth_place_driver_licence: UNITED KINGDOM | ENGLAND | SCOTLAND | WALES | {town} | INDIA
address: {house} {road}, {town}, {postcode} | {house} {road}, {town} {postcode}
""",
    "IRL": """
languages: en | en fr | en
dates: english
heading: IRELAND | ÉIRE
sign: IRL
nationality: IRISH | ÉIREANNACH / IRISH | IRL
people: english
passport: {ll}{n7} | P{ll}{n6} | L{ll}{n6}
id_card: C{n8}
driver_licence: {n9} | {n3}{d6}
authority: DEPARTMENT OF FOREIGN AFFAIRS | AN ROINN GNÓTHAÍ EACHTRACHA | Passport Office Dublin
authority_driver_licence: RSA | NDLS | {town}
locale: GB
town: Dublin | Cork | Galway | Limerick | Waterford | Sligo | Kilkenny | Athlone | Tralee | Dundalk | Ennis | Wexford
address: {num} {street} Street, {town}, Co. {town} | {num} {road}, {town}
""",
    "DNK": """
languages: da en | da en fr
dates: months
heading: DANMARK | KONGERIGET DANMARK | KINGDOM OF DENMARK | DENMARK
sign: DK
nationality: DANSK/DANISH | DANSK | DANISH
people: danish
passport: {n9}
driver_licence: {n8}
personal: {ddmmyy}-{d4}
sex_f: K/F | F
sex_m: M/M | M
town: København | Aarhus | Odense | Aalborg | Esbjerg | Randers | Kolding | Vejle | Roskilde | Hillerød | Næstved | Helsingør | Tårnby | Brøndby
authority: {town} Kommune | POLITIET | Rigspolitiet | BORGERSERVICE {town} | Københavns Kommune
address: {street} {num}, {n4} {town} | {street} {num}, 2. tv., {n4} {town}
street: Nørregade | Østergade | Algade | Vestergade | Strandvejen | Kirkevej | Skolevej | Bredgade
""",
    "SWE": """
languages: sv en | sv en | sv en fr
dates: iso
heading: SVERIGE | KONUNGARIKET SVERIGE | SWEDEN | KINGDOM OF SWEDEN
sign: S
nationality: SVENSK/SWEDISH | SVENSK | SWEDISH
people: swedish
passport: {n8} | {ll}{n6}
driver_licence: {n6} {n3} {d3} | {yymmdd}-{d4}
personal: {yyyy}{mm}{dd}-{d4} | {yymmdd}-{d4}
sex_f: K/F | F
sex_m: M/M | M
town: Stockholm | Göteborg | Malmö | Uppsala | Västerås | Örebro | Linköping | Helsingborg | Jönköping | Norrköping | Umeå | Gävle | Växjö | Luleå | Ängelholm
authority: POLISMYNDIGHETEN | Polismyndigheten | POLISMYNDIGHETEN I {town} | SKATTEVERKET
authority_driver_licence: TRANSPORTSTYRELSEN | TS
""",
    "NOR": """
languages: da en | da en
dates: dots
heading: NORGE | NOREG | KONGERIKET NORGE | NORWAY | KINGDOM OF NORWAY
sign: N
nationality: NORSK/NORWEGIAN | NORSK | NORWEGIAN
people: danish
passport: {n8} | {ll}{letter}{n6}
driver_licence: {n2} {d2} {n6} {d}
personal: {ddmmyy} {d5} | {ddmmyy}{d5}
sex_f: K/F | F
sex_m: M/M | M
town: Oslo | Bergen | Trondheim | Stavanger | Drammen | Tromsø | Ålesund | Bodø | Kristiansand | Sandnes | Fredrikstad | Skien | Molde | Tønsberg | Hamar
authority: POLITIET | {town} politidistrikt | OSLO POLITIDISTRIKT | Politiet/Police
authority_driver_licence: Statens vegvesen | STATENS VEGVESEN
""",
    "FIN": """
languages: fi sv en | fi sv en | fi en
dates: dots
heading: SUOMI | FINLAND | SUOMI FINLAND | REPUBLIC OF FINLAND
sign: FIN
nationality: SUOMI/FINLAND | FIN | Suomi/Finland
people: finnish
passport: {ll}{n7} | FP{n7}
id_card: {n9}{letter} | {n8}{letter}
driver_licence: {ddmmyy}-{d3}{letter}
personal: {ddmmyy}-{d3}{letter} | {ddmmyy}A{d3}{letter}
sex_f: N/F | N/K/F
sex_m: M/M
town: Helsinki | Espoo | Tampere | Vantaa | Oulu | Turku | Jyväskylä | Lahti | Kuopio | Pori | Kouvola | Hämeenlinna | Äänekoski | Seinäjoki
authority: Poliisi/Polisen | HELSINGIN POLIISILAITOS | {town} | Poliisi
authority_driver_licence: Traficom | Ajovarma | {town}
""",
    "ISL": """
languages: is en
dates: dots
heading: ÍSLAND | LÝÐVELDIÐ ÍSLAND | ICELAND | REPUBLIC OF ICELAND
nationality: ÍSLAND/ICELAND | ÍSLENSKT | ISL
people: icelandic
passport: A{n7}
personal: {ddmmyy}-{d4}
town: Reykjavík | Akureyri | Kópavogur | Hafnarfjörður | Selfoss | Ísafjörður | Keflavík | Vestmannaeyjar
authority: Þjóðskrá/Registers Iceland | ÞJÓÐSKRÁ ÍSLANDS | Sýslumaðurinn í {town}
""",
    "EST": """
languages: et en | et en fr | et en
dates: dots
heading: EESTI VABARIIK | REPUBLIC OF ESTONIA | EESTI | RÉPUBLIQUE D'ESTONIE
sign: EST
nationality: EST | EESTI/ESTONIAN
people: baltic
passport: K{n7} | KB{n7}
id_card: {ll}{n7} | AS{n7}
driver_licence: ET{n6}
personal: {c}{yymmdd}{d4}
c: 3 | 4 | 5 | 6
sex_f: N/F
sex_m: M/M
town: Tallinn | Tartu | Narva | Pärnu | Viljandi | Rakvere | Võru | Haapsalu | Kuressaare | Jõhvi | Põlva
birth_place: {town} | {town}/EST | EST | EESTI
authority: PPA | POLITSEI- JA PIIRIVALVEAMET | KMA
authority_driver_licence: Transpordiamet | MAANTEEAMET | ARK {town}
""",
    "LVA": """
languages: lv en | lv en fr
dates: dots
heading: LATVIJAS REPUBLIKA | REPUBLIC OF LATVIA | LATVIJA | RÉPUBLIQUE DE LETTONIE
sign: LV
nationality: LATVIJAS/LATVIAN | LVA | LATVIETIS/LATVIAN
people: baltic
passport: LV{n7}
id_card: PA{n7}
driver_licence: {ll}{n6}
personal: {ddmmyy}-{d5}
sex_f: S/F | F
sex_m: V/M | M
town: Rīga | Daugavpils | Liepāja | Jelgava | Jūrmala | Ventspils | Rēzekne | Valmiera | Ogre | Cēsis
authority: PMLP {town} {n}. nodaļa | PMLP | RĪGAS 1.NODAĻA PMLP
authority_driver_licence: CSDD | VAS CSDD
""",
    "LTU": """
languages: lt en | lt en
dates: iso
heading: LIETUVOS RESPUBLIKA | REPUBLIC OF LITHUANIA | LIETUVA
sign: LT
nationality: LTU | LIETUVOS RESPUBLIKOS | LIETUVA/LTU
people: baltic
passport: {n8}
id_card: {n8}
driver_licence: {n8}
personal: {c}{yymmdd}{d4}
c: 3 | 4 | 5 | 6
sex_f: M/F | F
sex_m: V/M
town: Vilnius | Kaunas | Klaipėda | Šiauliai | Panevėžys | Alytus | Marijampolė | Utena | Telšiai | Visaginas
authority: Vilniaus m. sav. | Asmens dokumentų išrašymo centras | ADIC prie VRM | Migracijos departamentas
authority_driver_licence: VĮ REGITRA | Regitra
""",
    "POL": """
languages: pl en | pl en | pl en fr | pl
weight: 2
dates: dots
heading: RZECZPOSPOLITA POLSKA | REPUBLIC OF POLAND | POLSKA | RÉPUBLIQUE DE POLOGNE
sign: PL
nationality: POLSKIE | POLSKIE/POLISH
people: polish
passport: {ll}{n7}
id_card: {letter}{letter}{letter} {n6} | {letter}{letter}{letter}{n6} | Z{letter}{letter}{n6}
driver_licence: {n5}/{d2}/{n4}
personal: {yymmdd}{d5}
sex_f: K/F | K | F
sex_m: M/M | M
town: WARSZAWA | KRAKÓW | ŁÓDŹ | WROCŁAW | POZNAŃ | GDAŃSK | SZCZECIN | BYDGOSZCZ | LUBLIN | KATOWICE | BIAŁYSTOK | GDYNIA | CZĘSTOCHOWA | RADOM | TORUŃ | SOSNOWIEC | RZESZÓW | KIELCE | OLSZTYN | ZIELONA GÓRA
authority: PREZYDENT MIASTA {town} | WOJEWODA {town} | BURMISTRZ MIASTA {town} | PREZYDENT M.ST. WARSZAWY | MINISTER SPRAW WEWNĘTRZNYCH | Wójt Gminy {town}
address: {town}, UL. {street} {num} M. {n} | UL. {street} {num}, {n2}-{d3} {town}
street: DŁUGA | POLNA | LEŚNA | OGRODOWA | SŁONECZNA | KOŚCIUSZKI | MICKIEWICZA | PIŁSUDSKIEGO | 3 MAJA | KRÓTKA
""",
    "CZE": """
languages: cs en | cs en fr | cs en
dates: dots
heading: ČESKÁ REPUBLIKA | CZECH REPUBLIC | RÉPUBLIQUE TCHÈQUE
sign: CZ
nationality: ČESKÁ REPUBLIKA | ČESKÁ/CZECH | CZE
people: czech
passport: {n8}
id_card: {n9}
driver_licence: {ll} {n6}
personal: {yymmdd}/{d4}
sex_f: F | Ž/F
sex_m: M | M/M
town: PRAHA | BRNO | OSTRAVA | PLZEŇ | LIBEREC | OLOMOUC | ČESKÉ BUDĚJOVICE | HRADEC KRÁLOVÉ | ÚSTÍ NAD LABEM | PARDUBICE | ZLÍN | JIHLAVA | KARLOVY VARY | DĚČÍN
authority: Magistrát města {town} | MĚSTSKÝ ÚŘAD {town} | {town} | Úřad městské části Praha {n} | MMR
birth_place: {town} | {town}, OKR. {town}
address: {town}, {street} {num}/{n} | {street} {num}, {town}
street: DLOUHÁ | NÁDRAŽNÍ | HUSOVA | ZAHRADNÍ | MASARYKOVA | POLNÍ | LESNÍ | KOMENSKÉHO
""",
    "SVK": """
languages: sk en | sk en fr | sk en
dates: dots
heading: SLOVENSKÁ REPUBLIKA | SLOVAK REPUBLIC | RÉPUBLIQUE SLOVAQUE | SLOVENSKO
sign: SK
nationality: SVK | Slovenská republika | SLOVENSKÁ REPUBLIKA
people: czech
passport: {ll}{n7} | BD{n7}
id_card: {ll}{n6} | SP{n6}
driver_licence: {letter}{n7}
personal: {yymmdd}/{d4}
sex_f: Ž/F | F
sex_m: M/M | M
town: Bratislava | Košice | Prešov | Žilina | Nitra | Banská Bystrica | Trnava | Martin | Trenčín | Poprad | Prievidza | Zvolen | Považská Bystrica
authority: {town} | ORPZ {town} | OR PZ {town} | MV SR
address: {town}, {street} {num}/{n} | {street} {num}, {town}
street: Hlavná | Školská | Záhradná | Kvetná | SNP | Štúrova | Lesná | Mierová
""",
    "HUN": """
languages: hu en | hu en fr | hu en
dates: spaces
order: YMD
dates_own: {y}. {m:02}. {d:02}. | {y} {m:02} {d:02} | {d:02} {m:02} {y} | {d:02} {mon}/{mon2} {s:02} | {d:02} {mon}/{mon2} {y} | {y}.{m:02}.{d:02}.
heading: MAGYARORSZÁG | HUNGARY | MAGYAR KÖZTÁRSASÁG | REPUBLIC OF HUNGARY | HONGRIE
sign: H
nationality: MAGYAR/HUNGARIAN | HUN | MAGYAR | HUNGARIAN
people: hungarian
passport: {ll}{n7}
id_card: {n6}{ll}
driver_licence: {ll}{n6}
personal: {n}-{yymmdd}-{d4}
sex_f: N/F
sex_m: F/M
town: BUDAPEST | DEBRECEN | SZEGED | MISKOLC | PÉCS | GYŐR | NYÍREGYHÁZA | KECSKEMÉT | SZÉKESFEHÉRVÁR | SZOMBATHELY | ÉRD | SOPRON | VESZPRÉM | BÉKÉSCSABA
birth_place: {town} | {town} {n2}
authority: BM | BELÜGYMINISZTÉRIUM | NYILVÁNTARTÓ | KEK KH | BM NYILVÁNTARTÓ HATÓSÁG | {town} JÁRÁSI HIVATAL
""",
    "SVN": """
languages: sl en | sl en fr
dates: dots
heading: REPUBLIKA SLOVENIJA | REPUBLIC OF SLOVENIA | SLOVENIJA
sign: SLO
nationality: SVN | SLOVENE | SLOVENIJA/SVN
people: southslavic
passport: P{letter}{n7}
id_card: 00{n7} | IE{n7}
driver_licence: S{n8}
personal: {ddmm}{d9}
sex_f: Ž/F | F
sex_m: M/M | M
town: LJUBLJANA | MARIBOR | CELJE | KRANJ | KOPER | VELENJE | NOVO MESTO | PTUJ | TRBOVLJE | ŠKOFJA LOKA
authority: UE {town} | UPRAVNA ENOTA {town} | UE {town}
address: {town}, {street} {num} | {street} {num}, {n4} {town}
street: Slovenska cesta | Prešernova ulica | Cankarjeva ulica | Trubarjeva cesta | Gregorčičeva ulica
""",
    "HRV": """
languages: hr en | hr en fr
dates: dots
heading: REPUBLIKA HRVATSKA | REPUBLIC OF CROATIA | RÉPUBLIQUE DE CROATIE | HRVATSKA
sign: HR
nationality: HRVATSKO | HRVATSKO / CROATIAN | HRV
people: southslavic
passport: {n9}
id_card: {n9}
driver_licence: {n8}
personal: {n11}
sex_f: Ž/F
sex_m: M/M
town: ZAGREB | SPLIT | RIJEKA | OSIJEK | ZADAR | PULA | SLAVONSKI BROD | KARLOVAC | VARAŽDIN | ŠIBENIK | DUBROVNIK | SISAK | VINKOVCI
authority: PU {town} | MUP RH | PU {town} - PP {town} | PU ZAGREBAČKA | MINISTARSTVO UNUTARNJIH POSLOVA
address: {town}, {street} {num} | {street} {num}, {town}
street: ILICA | VUKOVARSKA | SAVSKA CESTA | ULICA KRALJA TOMISLAVA | BRAĆE RADIĆA | DALMATINSKA
""",
    "SRB": """
languages: hr en | hr en fr
dates: dots
heading: REPUBLIKA SRBIJA | REPUBLIC OF SERBIA | RÉPUBLIQUE DE SERBIE
nationality: SRB | SRPSKO
people: southslavic
passport: 0{n8}
id_card: 00{n7}
driver_licence: 00{n7}
personal: {ddmm}{d9}
sex_f: Ž / F | F
sex_m: M / M | M
town: BEOGRAD | NOVI SAD | NIŠ | KRAGUJEVAC | SUBOTICA | ZRENJANIN | PANČEVO | ČAČAK | KRALJEVO | LESKOVAC | VRANJE
birth_place: {town} | {town}, SRBIJA | {town}, REPUBLIKA SRBIJA
authority: MUP R SRBIJE | PU ZA GRAD {town} | PU U {town}
address: {town}, {street} {num} | {town}, {town}, {street} {num}
street: KNEZA MILOŠA | CARA DUŠANA | VOJVODE STEPE | BULEVAR OSLOBOĐENJA | KARAĐORĐEVA
""",
    "ROU": """
languages: ro en fr | ro fr en | ro en
dates: dots
heading: ROMÂNIA | ROUMANIE | ROMANIA
sign: RO
nationality: ROMÂNĂ / ROU | Română / ROU | ROMÂNĂ
people: romanian
passport: {n8} | {n9} | 05{n7}
id_card: {ll}{n6} | {ll} {n6}
driver_licence: {letter}{n8}{letter} | {n8}{letter}
personal: {c}{yymmdd}{d6}
c: 1 | 2 | 5 | 6
town: București | Cluj-Napoca | Timișoara | Iași | Constanța | Craiova | Brașov | Galați | Ploiești | Oradea | Sibiu | Bacău | Arad | Pitești | Târgu Mureș | Suceava
authority: SPCLEP {town} | SPCJEP {town} | S.P.C.L.E.P. Sector {n} | D.G.P.
birth_place: Jud.{ll} Mun.{town} | Mun.{town} | {town} | ROU {town}
address: Jud.{ll} Mun.{town} Str.{street} nr.{num} | Mun.{town} Sec.{n} Str.{street} nr.{num} bl.{n2}
street: Mihai Eminescu | Libertății | Unirii | Ștefan cel Mare | 1 Decembrie | Florilor
""",
    "MDA": """
languages: ro en | ro en fr
dates: dots
heading: REPUBLICA MOLDOVA | REPUBLIC OF MOLDOVA
nationality: MOLDOVA / MDA | MDA | REPUBLICA MOLDOVA
people: romanian
passport: AA{n7} | {ll}{n7}
id_card: B{n8} | A{n8}
driver_licence: {n9}
personal: {n13}
town: CHIȘINĂU | BĂLȚI | TIRASPOL | CAHUL | UNGHENI | SOROCA | ORHEI | EDINEȚ
authority: ASP | REGISTRU | Î.S. CRIS REGISTRU | AGENȚIA SERVICII PUBLICE
""",
    "TUR": """
languages: tr en | tr en
dates: dots
dates_own: {d:02}.{m:02}.{y} | {d:02}.{m:02}.{y} | {d:02} {mon}/{mon2} {y} | {d:02} {mon} / {mon2} {y}
heading: TÜRKİYE CUMHURİYETİ | REPUBLIC OF TURKEY | REPUBLIC OF TÜRKİYE
nationality: T.C./TUR | TÜRKİYE CUMHURİYETİ/TUR | TUR
people: turkish
passport: {letter}{n8} | S{n8} | U{n8}
id_card: {letter}{d2}{letter}{d5}
driver_licence: {n6} | {n8}
personal: {n11}
sex_f: K/F | K / F
sex_m: E/M | E / M
town: İSTANBUL | ANKARA | İZMİR | BURSA | ANTALYA | ADANA | KONYA | GAZİANTEP | ŞANLIURFA | MERSİN | DİYARBAKIR | KAYSERİ | ESKİŞEHİR | TRABZON
authority: {town} | T.C. İÇİŞLERİ BAKANLIĞI | {town} VALİLİĞİ | İÇİŞLERİ BAKANLIĞI | {town} EMNİYET MÜDÜRLÜĞÜ
""",
    "AZE": """
languages: az en
dates: dots
heading: AZƏRBAYCAN RESPUBLİKASI | REPUBLIC OF AZERBAIJAN
nationality: AZƏRBAYCAN/AZERBAIJAN | AZE
people: turkish
passport: P{n7} | C0{n7}
id_card: AA{n7} | AZE{n8}
personal: {a}{a}{a}{a}{a}{a}{a}
town: BAKI | GƏNCƏ | SUMQAYIT | MİNGƏÇEVİR | ŞƏKİ | LƏNKƏRAN | NAXÇIVAN
sex_f: Q/F | F
sex_m: K/M | M
authority: DİN | DAXİLİ İŞLƏR NAZİRLİYİ | ASAN XİDMƏT {n} | MINISTRY OF INTERNAL AFFAIRS
""",
    "ALB": """
languages: sq en | sq en
dates: dots
heading: REPUBLIKA E SHQIPËRISË | REPUBLIC OF ALBANIA
nationality: Shqiptare/Albanian | SHQIPTARE | ALB
people: albanian
passport: {ll}{n7} | BA{n7}
id_card: {n9} | 0{n8}
personal: {letter}{n8}{letter}
sex_f: F | F/F
sex_m: M | M/M
town: TIRANË | DURRËS | VLORË | ELBASAN | SHKODËR | FIER | KORÇË | BERAT | LUSHNJË | KAVAJË
authority: MB/MOI | MINISTRIA E BRENDSHME | Ministria e Brendshme
""",
    "GRC": """
languages: en | en fr | en
dates: english
heading: HELLENIC REPUBLIC | GREECE
sign: GR
nationality: HELLENIC | GRC
people: greek
passport: A{letter}{n7}
id_card: A{letter} {n6} | {ll}-{n6}
town: ATHINA | THESSALONIKI | PATRA | PIRAEUS | LARISA | IRAKLEIO | VOLOS | IOANNINA | CHANIA | KAVALA | RODOS
authority: A.E.A./N.P.C. | N.P.C. | HELLENIC POLICE
authority_driver_licence: {town} | PERIFEREIA ATTIKIS
birth_place: {town} GRC | {town}
""",
    "USA": """
languages: en | en | en fr es | en es
weight: 4
dates: english
dates_driver_licence: american
dates_id_card: american
order: MDY
heading: UNITED STATES OF AMERICA
nationality: UNITED STATES OF AMERICA | USA
people: english
passport: {n9} | {letter}{n8}
id_card: {letter}{n7} | {n9} | {letter}{n3}-{d4}-{d4} | {n3} {d3} {d3} | {letter}{n12}
driver_licence: {letter}{n7} | {n9} | {letter}{n3}-{d3}-{d2}-{d3}-{d} | {n8} | {letter}{n12} | {n2} {d3} {d3} | {ll}{n6} | {letter}{letter}{letter}{letter}{letter}{letter}{letter}{n3}{letter}{d} | {n3}-{d2}-{d4} | {letter}{n4}-{d5}-{d5}
authority: United States Department of State | U.S. DEPARTMENT OF STATE | Department of State | National Passport Center
authority_driver_licence: DEPARTMENT OF MOTOR VEHICLES | Department of Public Safety | Bureau of Motor Vehicles | DIVISION OF MOTOR VEHICLES
state: CALIFORNIA | NEW YORK | TEXAS | FLORIDA | ILLINOIS | OHIO | GEORGIA | MICHIGAN | VIRGINIA | WASHINGTON | ARIZONA | NEW JERSEY | PENNSYLVANIA | MASSACHUSETTS | COLORADO
birth_place: {state}, U.S.A. | {state}, U.S.A. | {state} | CALIFORNIA, U.S.A.
licence: american
categories: C | D | C | M | A | B | DM | R | O
address: {house} {road} {town} {n5} | {house} {road} {unit} {town} {n5}-{d4} | {house} {road} {town} {n5}-{d4}
""",
    "CAN": """
languages: en fr | en fr | fr en
dates: months
dates_driver_licence: iso
dates_id_card: iso
heading: CANADA
nationality: CANADIAN/CANADIENNE | CANADIENNE/CANADIAN
people: english
passport: {ll}{n6} | {letter}{n6}{ll}
id_card: {n8} | {letter}{n4}-{d5}-{d5}
driver_licence: {letter}{n4}-{d5}-{d5} | {n7} | {n6}-{d3} | {letter}{letter}{letter}{letter}{letter}{n6} | {letter}{n4}-{yymmdd}-{d2}
authority: {place} | GATINEAU | MISSISSAUGA | TORONTO | VANCOUVER | Montréal
place: OTTAWA | CALGARY | QUÉBEC | HALIFAX
birth_place: {bp} CAN | {bp} CAN | {bp}, CAN
licence: american
categories: 5 | G | G2 | 7 | G1 | M | 1
bp: TORONTO | MONTRÉAL | VANCOUVER | OTTAWA | CALGARY | HALIFAX | WINNIPEG | QUÉBEC | REGINA | LONDON GBR
address: {house} {road} {town}, {postcode} | {house} {road} {unit} {town} {postcode}
""",
    "BRA": """
languages: pt en | pt | pt en fr | pt
weight: 2
dates: slashes
dates_passport: months
heading: REPÚBLICA FEDERATIVA DO BRASIL | BRASIL | FEDERATIVE REPUBLIC OF BRAZIL
nationality: BRASILEIRO(A) | BRASILEIRA | BRASILEIRO
people: portuguese
passport: {ll}{n6}
id_card: {n2}.{d3}.{d3}-{d} | {n2}.{d3}.{d3}-X | MG-{n2}.{d3}.{d3}
driver_licence: {n11} | 0{n10}
personal: {n3}.{d3}.{d3}-{d2}
name_style_id_card: together
name_style_driver_licence: together
authority: SR/DPF/{uf} | SSP/{uf} | SSP-{uf} | DETRAN/{uf} | DPF
authority_driver_licence: SSP/{uf} | DETRAN {uf} | SSP {uf}
uf: SP | RJ | MG | BA | RS | PR | SC | PE
birth_place: {bp} | {bp} | {bp}/{uf}
bp: SÃO PAULO | RIO DE JANEIRO | BELO HORIZONTE | CURITIBA | PORTO ALEGRE | SALVADOR | RECIFE | FORTALEZA | BRASÍLIA | GOIÂNIA
licence: plain
categories: A | B | AB | AC | AD | AE | C | D | E
""",
    "MEX": """
languages: es | es en | es en fr | es
dates: slashes
dates_passport: spaces
heading: ESTADOS UNIDOS MEXICANOS | MÉXICO | UNITED MEXICAN STATES
nationality: MEXICANA | MEXICANA/MEXICAN
people: spanish
passport: G{n8} | N{n8} | {n11}
id_card: {letter}{letter}{letter}{letter}{letter}{letter}{yymmdd}{d2}{hm}{d3} | IDMEX{n10}
driver_licence: {n9} | {letter}{n8} | {letter}{d3}{n6}
personal: {letter}{letter}{letter}{letter}{yymmdd}{hm}{ll}{letter}{letter}{letter}{d2}
sex_m_id_card: H
sex_f_id_card: MUJER
authority: SECRETARÍA DE RELACIONES EXTERIORES | INSTITUTO NACIONAL ELECTORAL | SRE | DELEGACIÓN {bp}
authority_driver_licence: SECRETARÍA DE MOVILIDAD | SEMOVI | GOBIERNO DEL ESTADO DE {bp}
birth_place: {bp} | {bp} | {bp}, {bp}
bp: JALISCO | PUEBLA | OAXACA | GUADALAJARA | MONTERREY | VERACRUZ | YUCATÁN | SONORA | TIJUANA | MÉRIDA | DISTRITO FEDERAL
licence: plain
categories: A | B | C | D | E
""",
    "ARG": """
languages: es en | es en | es
dates: english
dates_language: es
dates_own: {d:02} {mon}/ {mon2} {y} | {d:02} {mon} {y} | {d:02} {mon}/{mon2} {y} | {d:02}/{m:02}/{y}
heading: REPÚBLICA ARGENTINA | ARGENTINA | ARGENTINE REPUBLIC
nationality: ARGENTINA | ARGENTINO | ARGENTINA/ARGENTINE
people: spanish
passport: AA{letter}{n6} | {n8}N
id_card: {n2}.{d3}.{d3} | {n8}
driver_licence: {n8}
personal: {n2}-{n8}-{d}
authority: {town} | RENAPER | MINISTERIO DEL INTERIOR | MUNICIPALIDAD DE {town}
town: BUENOS AIRES | CÓRDOBA | ROSARIO | MENDOZA | LA PLATA | SALTA | SANTA FE | TUCUMÁN | NEUQUÉN | BAHÍA BLANCA | C.A.B.A.
address: {calle} {callename} {num} - {town} | {calle} {callename} {num} P:{n} - {town}
licence: plain
categories: A.2.1 | B.1 | B.2 | C.1 | D.1 | A.1.2
""",
    "CHL": """
languages: es | es en | es
dates: english
dates_language: es
heading: REPÚBLICA DE CHILE | CHILE
nationality: CHILENA | CHILENA/CHILEAN
people: spanish
passport: {letter}{n8} | F{n8} | P{n8}
id_card: {n9} | {n3}.{d3}.{d3} | A{n9}
driver_licence: {n2}.{d3}.{d3}-{d}
personal: {n2}.{d3}.{d3}-{d} | {n2}.{d3}.{d3}-K
authority: REGISTRO CIVIL E IDENTIFICACIÓN | SERVICIO DE REGISTRO CIVIL | MUNICIPALIDAD DE {town}
town: SANTIAGO | VALPARAÍSO | CONCEPCIÓN | LA SERENA | ANTOFAGASTA | TEMUCO | RANCAGUA | IQUIQUE | ÑUÑOA | PROVIDENCIA | VIÑA DEL MAR
licence: plain
categories: B | C | A2 | A4 | D
""",
    "COL": """
languages: es | es en | es
dates: english
dates_language: es
dates_own: {d:02}-{mon}-{y} | {d:02}-{mon}-{y} | {d:02}-{m:02}-{y} | {d:02} {mon}/{mon2} {y}
heading: REPÚBLICA DE COLOMBIA | COLOMBIA
nationality: COLOMBIANA | COL
people: spanish
passport: {ll}{n6} | PE{n6}
id_card: {n}.{d3}.{d3}.{d3} | {n2}.{d3}.{d3} | {n10}
driver_licence: {n8} | {n10}
personal: {n10} | {n8}
town: BOGOTÁ D.C. | MEDELLÍN | CALI | BARRANQUILLA | CARTAGENA | BUCARAMANGA | PEREIRA | MANIZALES | CÚCUTA | IBAGUÉ
birth_place: {town} | {town} (ANTIOQUIA) | {town} (VALLE) | {town}
authority: REGISTRADURÍA NACIONAL | GOBERNACIÓN DE {town} | MINISTERIO DE TRANSPORTE | STRIA TTO {town} | SDM - BOGOTA D.C.
licence: plain
categories: A1 | A2 | B1 | B2 | C1 | C2
""",
    "PER": """
languages: es | es en | es en
dates: spaces
heading: REPÚBLICA DEL PERÚ | PERÚ
nationality: PERUANA | PER
people: spanish
passport: {n9} | {n7}
id_card: {n8}-{d} | {n8}
driver_licence: {letter}{n8}
personal: {n8}
town: LIMA | AREQUIPA | TRUJILLO | CUSCO | CHICLAYO | PIURA | IQUITOS | HUANCAYO | TACNA | PUNO
birth_place: {town}/{town}/{town} | {town} | {n2}{d4}
authority: MIGRACIONES | RENIEC | MTC | DIGEMIN
address: {calle} {callename} {num} | {calle} {callename} MZ. {letter} LT. {n2}
licence: plain
categories: A-I | A-IIa | A-IIb | B-IIb | A-IIIc
""",
    "ECU": """
languages: es | es en
dates: iso
dates_language: es
heading: REPÚBLICA DEL ECUADOR | ECUADOR
nationality: ECUATORIANA | ECU
people: spanish
passport: A{n7} | {n10}
id_card: {n9}-{d} | {n10}
personal: {n9}-{d}
town: QUITO | GUAYAQUIL | CUENCA | AMBATO | MANTA | LOJA | MACHALA | PORTOVIEJO
birth_place: {town} {town} | PICHINCHA QUITO | GUAYAS GUAYAQUIL
authority: REGISTRO CIVIL | DIRECCIÓN GENERAL DE REGISTRO CIVIL | JEFATURA {town} | ANT
licence: plain
categories: A | B | C1 | D | E
""",
    "URY": """
languages: es en | es
dates: slashes
heading: REPÚBLICA ORIENTAL DEL URUGUAY | URUGUAY
nationality: URUGUAYA | URY | URUGUAY/URY
people: spanish
passport: {letter}{n6}
id_card: {n}.{d3}.{d3}-{d}
personal: {n}.{d3}.{d3}-{d}
town: MONTEVIDEO | SALTO | PAYSANDÚ | RIVERA | MALDONADO | COLONIA | ROCHA
birth_place: {town}/URY | {town}
authority: DNIC | MINISTERIO DEL INTERIOR | INTENDENCIA DE {town}
licence: plain
categories: A | B | G1 | C
""",
    "AUS": """
languages: en
weight: 2
dates: english
heading: AUSTRALIA
nationality: AUSTRALIAN
people: english
passport: {letter}{n7} | P{letter}{n7} | N{n7}
id_card: {n8} | {n10}
driver_licence: {n8} | {n9} | {n3} {d3} {d3} | {n7} | {n4}{ll} | 0{n8}
authority: AUSTRALIA | DFAT | SYDNEY | CANBERRA | MELBOURNE
authority_driver_licence: Transport for NSW | VicRoads | Roads & Maritime Services | Department of Transport
birth_place: {bp}
bp: SYDNEY | MELBOURNE | BRISBANE | PERTH | ADELAIDE | HOBART | WAGGA WAGGA | DARWIN | NEWCASTLE
address: {house} {road} {town} {n4} | UNIT {n}, {num} {road} {town} {n4}
licence: plain
categories: C | C | LR | MR | HR | C R | R
""",
    "NZL": """
languages: en
dates: english
dates_driver_licence: dashes
heading: NEW ZEALAND | AOTEAROA NEW ZEALAND
nationality: NEW ZEALAND | NEW ZEALANDER
people: english
passport: {ll}{n6} | L{letter}{n6}
driver_licence: {ll}{n6}
town: AUCKLAND | WELLINGTON | CHRISTCHURCH | HAMILTON | DUNEDIN | TAURANGA | NAPIER | NELSON | ROTORUA | WHANGAREI
authority: DEPARTMENT OF INTERNAL AFFAIRS | WELLINGTON | Te Tari Taiwhenua Wellington
authority_driver_licence: NZ TRANSPORT AGENCY | WAKA KOTAHI
address: {num} {street} {way} {town} {n4} | {num}{letter} {street} {way}, {town}
locale: GB
categories: 1 | 1 | 2 | 6 | 6R | W
""",
    "MYS": """
languages: ms en | ms en | ms
dates: english
dates_driver_licence: slashes
heading: MALAYSIA
nationality: MALAYSIA | WARGANEGARA MALAYSIA | MALAYSIAN
people: malay
name_style: whole
passport: A{n8} | H{n8} | K{n8}
id_card: {yymmdd}-{d2}-{d4}
driver_licence: {n7} | {yymmdd}{d6} | {letter}{n7}
personal: {yymmdd}-{d2}-{d4} | {yymmdd}{d6}
sex_f: P | PEREMPUAN | F
sex_m: L | LELAKI | M
town: KUALA LUMPUR | JOHOR BAHRU | IPOH | GEORGE TOWN | SHAH ALAM | KUCHING | MELAKA | KOTA BHARU
birth_place: JOHOR | SELANGOR | PERAK | W.P. KUALA LUMPUR | KEDAH | SABAH | SARAWAK | KELANTAN
authority: KETUA PENGARAH IMIGRESEN | UTC {town} | IMIGRESEN {town} | KETUA PENGARAH PENDAFTARAN NEGARA
licence: plain
categories: B2 | D | DA | B | GDL
""",
    "IDN": """
languages: id en | id
dates: dashes
heading: REPUBLIK INDONESIA | REPUBLIC OF INDONESIA | INDONESIA
nationality: INDONESIA | WNI
people: indonesian
name_style: whole
passport: {letter}{n7} | A{n7} | {letter}{d}{n6}
id_card: {n6}{ddmmyy}{d4} | {n16}
driver_licence: {n12} | {n4}-{n4}-{d6}
personal: {n16}
sex_f: PEREMPUAN
sex_m: LAKI-LAKI
sex_f_passport: P/F
sex_m_passport: L/M
town: JAKARTA | SURABAYA | BANDUNG | MEDAN | SEMARANG | YOGYAKARTA | MAKASSAR | DENPASAR | PALEMBANG | MALANG | BOGOR
authority: JAKARTA SELATAN | KANIM {town} | IMIGRASI {town} | PROVINSI DKI {town} | KOTA {town} | POLRI
address: JL. {street} NO. {num} RT 00{n}/RW 00{n} {town} | JL {street} NO {num}, {town} | DUSUN {street} RT 0{n}/0{n}
street: MERDEKA | SUDIRMAN | DIPONEGORO | MELATI | GATOT SUBROTO | KENANGA | PAHLAWAN | MAWAR
licence: plain
categories: A | B1 | C | C1
""",
    "PHL": """
languages: en
dates: english
dates_driver_licence: iso
heading: REPUBLIC OF THE PHILIPPINES | REPUBLIKA NG PILIPINAS | PHILIPPINES
nationality: FILIPINO | PHL
people: filipino
name_style_driver_licence: together
passport: {letter}{n7}{letter} | P{n7}{letter} | {ll}{n7}
id_card: {n4}-{d4}-{d4}-{d4} | CRN-0{n3}-{n7}-{d}
driver_licence: {letter}{d2}-{d2}-{n6}
nationality_driver_licence: PHL
sex_f_id_card: FEMALE | F
sex_m_id_card: MALE | M
town: MANILA | QUEZON CITY | DAVAO CITY | CEBU CITY | MAKATI CITY | BAGUIO CITY | ILOILO CITY | TAGUIG | PASIG
authority: DFA {town} | DFA NCR EAST | DFA MANILA | PHILIPPINE STATISTICS AUTHORITY | LAND TRANSPORTATION OFFICE
address: {num} {street} ST., BRGY. {street}, {town} | BLK {n2} LOT {n}, {street} VILLAGE, {town}
street: RIZAL | MABINI | BONIFACIO | LUNA | SAMPAGUITA | DEL PILAR | AGUINALDO
licence: plain
categories: A | A1 | B | B1 | C
""",
    "SGP": """
languages: en
dates: dashes
dates_passport: english
heading: REPUBLIC OF SINGAPORE | SINGAPORE
nationality: SINGAPORE CITIZEN | SINGAPOREAN | SINGAPORE
people: chinese
name_style: whole
passport: E{n7}{letter} | K{n7}{letter}
id_card: S{n7}{letter} | T{n7}{letter} | G{n7}{letter}
driver_licence: S{n7}{letter}
personal: S{n7}{letter}
birth_place: SINGAPORE | MALAYSIA | CHINA
authority: MINISTRY OF HOME AFFAIRS | IMMIGRATION & CHECKPOINTS AUTHORITY | TRAFFIC POLICE
licence: plain
categories: 2B | 3 | 3A | 3C | 4
""",
    "IND": """
languages: en | en | en
dates: slashes
dates_driver_licence: dashes
heading: REPUBLIC OF INDIA | INDIA | GOVERNMENT OF INDIA
nationality: INDIAN
people: indian
name_style_id_card: whole
name_style_driver_licence: whole
passport: {letter}{n7}
id_card: {n4} {d4} {d4} | {letter}{letter}{letter}P{letter}{n4}{letter} | {letter}{letter}{letter}{n7}
driver_licence: {ll}{d2} {n4}{d7} | {ll}-{d2}{n4}{d7} | {ll}{d2} 20{d9}
sex_f_id_card: FEMALE
sex_m_id_card: MALE
birth_place: {town}, {state} | {town}
state: MAHARASHTRA | KARNATAKA | TAMIL NADU | KERALA | GUJARAT | WEST BENGAL | ANDHRA PRADESH
authority: {town} | RPO {town} | RTO {town} | INCOME TAX DEPARTMENT
licence: plain
categories: MCWG | LMV | TRANS | LMV-NT
""",
    "NGA": """
languages: en | en fr
dates: english
heading: FEDERAL REPUBLIC OF NIGERIA | NIGERIA
nationality: NIGERIAN | NIGERIA
people: african
passport: A{n8} | B{n8}
id_card: {n4} {d4} {d4} {d4} | {n11}
driver_licence: {letter}{letter}{letter}{n5}AA{d2}
personal: {n11} | {n4} {n3} {d4}
town: LAGOS | ABUJA | IBADAN | KANO | PORT HARCOURT | BENIN CITY | ENUGU | KADUNA | JOS | ABEOKUTA
authority: IKOYI | ABUJA | {town} | FRSC {town} | NIMC
address: {num}, {street} STREET, {town} | NO {n2} {street} CLOSE, {town}
street: ADEOLA | AWOLOWO | AHMADU BELLO | ALLEN | BROAD | MARINA
licence: plain
categories: A | B | C | E
""",
    "KEN": """
languages: en | en fr
dates: dots
dates_passport: english
heading: REPUBLIC OF KENYA | JAMHURI YA KENYA | KENYA
nationality: KENYAN
people: african
passport: A{n7} | BK{n6} | C{n6}
id_card: {n8} | {n9}
driver_licence: DL-{n7} | {n7}
personal: {n8}
sex_f: F | FEMALE
sex_m: M | MALE
town: NAIROBI | MOMBASA | KISUMU | NAKURU | ELDORET | NYERI | MACHAKOS | THIKA | KAKAMEGA
authority: GOVERNMENT OF KENYA | {town} | NTSA | DIRECTOR OF IMMIGRATION SERVICES
licence: plain
categories: A2 | B | C1 | B3
""",
    "ZAF": """
languages: en | en fr
dates: english
heading: REPUBLIC OF SOUTH AFRICA | SOUTH AFRICA
sign: ZA
nationality: SOUTH AFRICAN | RSA
people: african
passport: A{n8} | M{n8} | {n9}
id_card: {n9}
driver_licence: {n12} | {n10}{ll}
personal: {yymmdd}{d4}08{d} | {yymmdd} {d4} 08 {d}
town: JOHANNESBURG | CAPE TOWN | DURBAN | PRETORIA | BLOEMFONTEIN | PORT ELIZABETH | POLOKWANE | SOWETO | KIMBERLEY
birth_place: RSA | SOUTH AFRICA | {town}
authority: DEPT OF HOME AFFAIRS | DEPARTMENT OF HOME AFFAIRS
licence: plain
categories: A | B | EB | C1 | EC
""",
    "GHA": """
languages: en | en fr
dates: english
heading: REPUBLIC OF GHANA | GHANA
nationality: GHANAIAN
people: african
passport: G{n7} | H{n7}
id_card: GHA-{n9}-{d} | {letter}{n9}
driver_licence: {letter}{letter}{letter}-{d8}-{n5}
personal: GHA-{n9}-{d}
town: ACCRA | KUMASI | TAMALE | TEMA | CAPE COAST | SEKONDI | HO | SUNYANI
authority: {town} | NATIONAL IDENTIFICATION AUTHORITY | DVLA | PASSPORT OFFICE {town}
licence: plain
categories: A | B | C
""",
    "UTO": """
languages: en | en fr | en fr es
dates: months
heading: UTOPIA | REPUBLIC OF UTOPIA
nationality: UTOPIAN | UTO | UTOPIAN/UTOPIENNE
people: english
passport: {letter}{n5}{letter}{d}{letter} | L{n6}C{d} | {ll}{n7}
id_card: D{n8} | {ll}{n7} | {n9}
personal: {n6}-{d4} | ZE {n6} {letter}
town: ZENITH | NADIR | NEW HARMONY | PORT CONCORD | AMAUROT
authority: PASSPORT OFFICE | MINISTRY OF INTERIOR | {town} REGISTRY
address: {num} {street} STREET, {town}
street: LIBERTY | HARMONY | STATION | HARBOUR
locale: GB
""",
}  # fmt: skip

# Where the state or province issues the licence or card, and not the country.
STATES: Mapping[str, Mapping[str, str]] = {
    "USA": {
        "AL": "ALABAMA", "AK": "ALASKA", "AZ": "ARIZONA", "AR": "ARKANSAS", "CA": "CALIFORNIA", "CO": "COLORADO",
        "CT": "CONNECTICUT", "DE": "DELAWARE", "FL": "FLORIDA", "GA": "GEORGIA USA", "HI": "HAWAII", "ID": "IDAHO",
        "IL": "ILLINOIS", "IN": "INDIANA", "IA": "IOWA", "KS": "KANSAS", "KY": "KENTUCKY", "LA": "LOUISIANA",
        "ME": "MAINE", "MD": "MARYLAND", "MA": "MASSACHUSETTS", "MI": "MICHIGAN", "MN": "MINNESOTA",
        "MS": "MISSISSIPPI", "MO": "MISSOURI", "MT": "MONTANA", "NE": "NEBRASKA", "NV": "NEVADA",
        "NH": "NEW HAMPSHIRE", "NJ": "NEW JERSEY", "NM": "NEW MEXICO", "NY": "NEW YORK STATE", "NC": "NORTH CAROLINA",
        "ND": "NORTH DAKOTA", "OH": "OHIO", "OK": "OKLAHOMA", "OR": "OREGON", "PA": "PENNSYLVANIA",
        "RI": "RHODE ISLAND", "SC": "SOUTH CAROLINA", "SD": "SOUTH DAKOTA", "TN": "TENNESSEE", "TX": "TEXAS",
        "UT": "UTAH", "VT": "VERMONT", "VA": "VIRGINIA", "WA": "WASHINGTON", "WV": "WEST VIRGINIA",
        "WI": "WISCONSIN", "WY": "WYOMING", "DC": "DISTRICT OF COLUMBIA",
    },
    "CAN": {
        "ON": "ONTARIO", "QC": "QUÉBEC", "BC": "BRITISH COLUMBIA", "AB": "ALBERTA", "MB": "MANITOBA",
        "SK": "SASKATCHEWAN", "NS": "NOVA SCOTIA", "NB": "NEW BRUNSWICK",
        "NL": "NEWFOUNDLAND AND LABRADOR", "PE": "PRINCE EDWARD ISLAND",
    },
    "AUS": {
        "NSW": "NEW SOUTH WALES", "VIC": "VICTORIA", "QLD": "QUEENSLAND", "WA": "WESTERN AUSTRALIA",
        "SA": "SOUTH AUSTRALIA", "TAS": "TASMANIA", "ACT": "AUSTRALIAN CAPITAL TERRITORY", "NT": "NORTHERN TERRITORY",
    },
}  # fmt: skip

_LOCALES = {
    "DEU": "DE", "AUT": "AT", "CHE": "CH", "FRA": "FR", "NLD": "NL", "ITA": "IT", "ESP": "ES", "PRT": "PT", "GBR": "GB",
    "USA": "US", "CAN": "CA", "BRA": "BR", "MEX": "MX", "AUS": "AU", "MYS": "MY", "SGP": "SG", "IND": "IN",
    "ARG": "ES", "CHL": "ES", "COL": "ES", "PER": "ES", "ECU": "ES", "URY": "ES", "IRL": "GB", "NZL": "GB", "LUX": "FR",
    "BEL": "NL", "KEN": "GB", "ZAF": "GB", "GHA": "GB", "NGA": "GB", "UTO": "GB",
}  # fmt: skip


@cache
def issuers() -> Mapping[str, Issuer]:
    """Every country that issues documents here, by its alpha-3 code."""
    return {code: _issuer(code, rules(text)) for code, text in _ISSUERS.items()}


def _issuer(code: str, own: Rules) -> Issuer:
    places = next((each.lists for each in locales() if each.code == _LOCALES.get(code)), {})
    return Issuer(
        code=code,
        weight=float(own.get("weight", ("1",))[0]),
        languages=own["languages"],
        date_order=own.get("order", ("DMY",))[0],  # type: ignore[arg-type]
        name_style=own.get("name_style", ("apart",))[0],  # type: ignore[arg-type]
        licence_style=own.get("licence", ("numbered",))[0],  # type: ignore[arg-type]
        lists={**rules(_ANYWHERE), **places, **own},
    )
