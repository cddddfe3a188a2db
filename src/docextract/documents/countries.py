"""Countries as documents print them → the alpha-3 code that answers have.

ISO 3166-1, and the codes that ICAO Doc 9303 part 3 adds to it in passports (stateless persons, the United Nations,
…). A spelling is a name, an official name, or a nationality, in languages of Latin script that documents are
printed in. Add to the tables freely: accents, case and punctuation of an entry do not matter.
"""

# ruff: noqa: E501 - lists of names; broken at 120 they read no better

import re
import unicodedata
from functools import cache

# alpha-3, alpha-2, the spellings. Where a name is two countries', the entry that says less stands later.
_COUNTRIES = """
AFG AF Afghanistan|Islamic Republic of Afghanistan|Afghan|Afghane
ALA AX Åland Islands|Åland|Ålander
ALB AL Albania|Republic of Albania|Republika e Shqipërisë|Shqipëria|Shqiptare|Shqiptar|Albanian|Albanais|Albanaise|Albanien|Albanisch|Albanie
DZA DZ Algeria|Algérie|People's Democratic Republic of Algeria|République algérienne démocratique et populaire|Algerian|Algérienne|Algérien|Algerien|Algerisch
ASM AS American Samoa|American Samoan
AND AD Andorra|Principality of Andorra|Principat d'Andorra|Principauté d'Andorre|Principado de Andorra|Andorran|Andorrana|Andorrà|Andorrane
AGO AO Angola|Republic of Angola|República de Angola|Angolan|Angolana|Angolano|Angolaise
AIA AI Anguilla|Anguillan
ATA AQ Antarctica
ATG AG Antigua and Barbuda|Antiguan|Barbudan
ARG AR Argentina|Argentine Republic|República Argentina|República Argentina Mercosur|Argentine|Argentinian|Argentino|Argentinien|Argentinisch|Argentinier
ARM AM Armenia|Republic of Armenia|République d'Arménie|Armenian|Arménienne|Armenien|Armenisch
ABW AW Aruba|Aruban
AUS AU Australia|Commonwealth of Australia|Australian|Australie|Australienne|Australien|Australier|Australisch
AUT AT Austria|Republic of Austria|Österreich|Republik Österreich|République d'Autriche|Autriche|Österreicher|Österreicherin|Österreichisch|Austrian|Autrichienne|Autrichien|Austriaca|Austriaco|Rakousko
AZE AZ Azerbaijan|Republic of Azerbaijan|Azərbaycan|Azərbaycan Respublikası|Azərbaycan Respublikasının Vətəndaşı|Azerbaijani|République d'Azerbaïdjan|Aserbaidschan
BHS BS Bahamas|The Bahamas|Commonwealth of the Bahamas|Bahamian
BHR BH Bahrain|Kingdom of Bahrain|Bahraini
BGD BD Bangladesh|People's Republic of Bangladesh|Bangladeshi
BRB BB Barbados|Barbadian
BLR BY Belarus|Republic of Belarus|Respublika Belarus|République du Bélarus|Belarusian|Belarusan|Weißrussland|Bélarus
BEL BE Belgium|Kingdom of Belgium|België|Koninkrijk België|Belgique|Royaume de Belgique|Belgien|Königreich Belgien|Belgian|Belge|Belg|Belgisch|Belgier|Belgische|Bélgica|Belgio|Belgisch Belge Belgier
BLZ BZ Belize|Belizean
BEN BJ Benin|Bénin|République du Bénin|Republic of Benin|Beninese|Béninoise|Béninois
BMU BM Bermuda|Bermudian
BTN BT Bhutan|Kingdom of Bhutan|Bhutanese
BOL BO Bolivia|Plurinational State of Bolivia|Estado Plurinacional de Bolivia|República de Bolivia|Bolivian|Boliviana|Boliviano|Bolivien
BES BQ Bonaire, Sint Eustatius and Saba|Caribbean Netherlands
BIH BA Bosnia and Herzegovina|Bosna i Hercegovina|BiH|Bosnian|Bosanska|Državljanin BiH|Državljanin Bosne i Hercegovine|Bosnien und Herzegowina|Bosnie-Herzégovine|Bosnia-Herzegovina
BWA BW Botswana|Republic of Botswana|Motswana|Batswana
BVT BV Bouvet Island
BRA BR Brazil|Brasil|República Federativa do Brasil|Federative Republic of Brazil|Brazilian|Brasileira|Brasileiro|Brasilien|Brasileño|Brasileña|Brésil|Brésilienne|Brasilianisch
IOT IO British Indian Ocean Territory
BRN BN Brunei Darussalam|Brunei|Negara Brunei Darussalam|Bruneian
BGR BG Bulgaria|Republic of Bulgaria|Republika Bulgaria|Bulgarian|Bulgarie|Bulgare|Bulgarien|Bulgarisch|Bǎlgarija
BFA BF Burkina Faso|Burkinabe|Burkinabè
BDI BI Burundi|République du Burundi|Republika y'u Burundi|Burundian|Burundaise
CPV CV Cabo Verde|Cape Verde|República de Cabo Verde|Cape Verdean|Caboverdiana|Cabo-verdiana|Cabo-verdiano
KHM KH Cambodia|Kingdom of Cambodia|Royaume du Cambodge|Cambodge|Cambodian|Cambodgienne
CMR CM Cameroon|Cameroun|Republic of Cameroon|République du Cameroun|Cameroonian|Camerounaise|Camerounais
CAN CA Canada|Canadian|Canadienne|Canadien|Kanada|Kanadisch|Canadá|Canadiense
CYM KY Cayman Islands|Caymanian
CAF CF Central African Republic|République centrafricaine|Central African|Centrafricaine
TCD TD Chad|Tchad|République du Tchad|Chadian|Tchadienne
CHL CL Chile|República de Chile|Republic of Chile|Chilean|Chilena|Chileno|Chili|Chilienne
CHN CN China|People's Republic of China|Zhonghua Renmin Gongheguo|Chinese|Chinoise|Chine|Chinesisch|République populaire de Chine
CXR CX Christmas Island
CCK CC Cocos (Keeling) Islands|Cocos Islands
COL CO Colombia|República de Colombia|Republic of Colombia|Colombian|Colombiana|Colombiano|Colombie|Kolumbien|Colombienne
COM KM Comoros|Comores|Union des Comores|Comorian|Comorienne
COG CG Congo|Republic of the Congo|République du Congo|Congolese|Congolaise
COD CD Democratic Republic of the Congo|République démocratique du Congo|Congo, Democratic Republic of the|DR Congo|RDC
COK CK Cook Islands|Cook Islander
CRI CR Costa Rica|República de Costa Rica|Republic of Costa Rica|Costa Rican|Costarricense
CIV CI Côte d'Ivoire|République de Côte d'Ivoire|Ivory Coast|Ivorian|Ivoirienne|Ivoirien
HRV HR Croatia|Republic of Croatia|Hrvatska|Republika Hrvatska|Croatian|Hrvatsko|Croatie|République de Croatie|Croate|Kroatien|Kroatisch|Croazia
CUB CU Cuba|República de Cuba|Republic of Cuba|Cuban|Cubana|Cubano
CUW CW Curaçao
CYP CY Cyprus|Republic of Cyprus|Kypriaki Dimokratia|Kypros|Kıbrıs|Kıbrıs Cumhuriyeti|Cypriot|Chypre|République de Chypre|Chypriote|Zypern|Kypria
CZE CZ Czechia|Czech Republic|Česká republika|Česko|Czech|Česká|Občan České republiky|Státní občanství České republiky|République tchèque|Tchèque|Tschechien|Tschechische Republik|Tschechisch|Tchéquie
DNK DK Denmark|Kingdom of Denmark|Danmark|Kongeriget Danmark|Danish|Dansk|Danois|Danoise|Danemark|Royaume de Danemark|Dänemark|Dänisch|Dane
DJI DJ Djibouti|République de Djibouti|Djiboutian|Djiboutienne
DMA DM Dominica|Commonwealth of Dominica
DOM DO Dominican Republic|República Dominicana|Dominican|Dominicana|Dominicano
ECU EC Ecuador|República del Ecuador|Republic of Ecuador|Ecuadorian|Ecuatoriana|Ecuatoriano|Equateur
EGY EG Egypt|Arab Republic of Egypt|Egyptian|Égypte|Égyptienne|Ägypten
SLV SV El Salvador|República de El Salvador|República de El Salvador en la América Central|Salvadoran|Salvadorean|Salvadoreña|Salvadoreño
GNQ GQ Equatorial Guinea|República de Guinea Ecuatorial|Guinea Ecuatorial|Equatorial Guinean|Ecuatoguineana
ERI ER Eritrea|State of Eritrea|Eritrean
EST EE Estonia|Republic of Estonia|Eesti|Eesti Vabariik|Estonian|Estonie|République d'Estonie|Estonienne|Estland|Estnisch
SWZ SZ Eswatini|Kingdom of Eswatini|Swaziland|Swazi|Liswati
ETH ET Ethiopia|Federal Democratic Republic of Ethiopia|Ethiopian|Éthiopie|Äthiopien
FLK FK Falkland Islands|Falkland Islander
FRO FO Faroe Islands|Føroyar|Faroese|Færøerne|Føroyskt
FJI FJ Fiji|Republic of Fiji|Fijian
FIN FI Finland|Republic of Finland|Suomi|Suomen tasavalta|Republiken Finland|Finnish|Suomi-Finland|Suomi Finland|Finlandaise|Finlande|République de Finlande|Finnland|Finnisch|Finländsk|Finsk|Suomalainen
FRA FR France|République française|French Republic|Française|Français|French|Frankreich|Französisch|Francia|Francese|Francesa|Francés|Frans|Republika Francuska|Repùblica francesa|Frankrijk
GUF GF French Guiana|Guyane
PYF PF French Polynesia|Polynésie française
ATF TF French Southern Territories
GAB GA Gabon|République gabonaise|Gabonese|Gabonaise
GMB GM Gambia|The Gambia|Republic of the Gambia|Gambian
GEO GE Georgia|Republic of Georgia|Sakartvelo|Georgian|Géorgie|Georgien
DEU DE Germany|Federal Republic of Germany|Deutschland|Bundesrepublik Deutschland|République fédérale d'Allemagne|Deutsch|Deutsche|Deutscher|German|Allemagne|Allemande|Allemand|Alemania|Alemana|Alemán|Germania|Tedesca|Tedesco|Duitsland|Duits|Duitse|Niemcy|Niemieckie|Alemã|Alemão|Alman|Almanya|Alemanha
GHA GH Ghana|Republic of Ghana|Ghanaian|Ghanéenne
GIB GI Gibraltar|Gibraltarian
GRC GR Greece|Hellenic Republic|Elliniki Dimokratia|Ellas|Ellada|Hellas|Greek|Hellenic|Ellinikí|Elliniki|Grèce|République hellénique|Grecque|Griechenland|Griechisch|Grecia|Greca
GRL GL Greenland|Kalaallit Nunaat|Grønland|Greenlandic
GRD GD Grenada|Grenadian
GLP GP Guadeloupe
GUM GU Guam|Guamanian
GTM GT Guatemala|República de Guatemala|Republic of Guatemala|Guatemalan|Guatemalteca|Guatemalteco
GGY GG Guernsey|Bailiwick of Guernsey
GIN GN Guinea|République de Guinée|Guinée|Guinean|Guinéenne
GNB GW Guinea-Bissau|República da Guiné-Bissau|Guiné-Bissau|Guineense
GUY GY Guyana|Co-operative Republic of Guyana|Cooperative Republic of Guyana|Guyanese
HTI HT Haiti|Haïti|République d'Haïti|Repiblik Ayiti|Republic of Haiti|Haitian|Haïtienne|Haïtien
HMD HM Heard Island and McDonald Islands
VAT VA Holy See|Vatican City State|Vatican City|Stato della Città del Vaticano|Città del Vaticano|Sede Apostolica|Vaticana|Vatican
HND HN Honduras|República de Honduras|Republic of Honduras|Honduran|Hondureña|Hondureño
HKG HK Hong Kong|Hong Kong Special Administrative Region|Hongkong
HUN HU Hungary|Republic of Hungary|Magyarország|Magyar Köztársaság|Magyar|Hungarian|Hongrie|République de Hongrie|Hongroise|Ungarn|Ungarisch|Ungheria
ISL IS Iceland|Republic of Iceland|Ísland|Lýðveldið Ísland|Icelandic|Íslenskt|Íslenskur|Íslensk|Islande|République d'Islande|Islandaise|Isländisch
IND IN India|Republic of India|Bharat Ganrajya|Indian|Inde|Indienne|Indien
IDN ID Indonesia|Republic of Indonesia|Republik Indonesia|Indonesian|WNI|Indonésie|Indonesien|Indonésienne
IRN IR Iran|Islamic Republic of Iran|Iran, Islamic Republic of|Iranian|Iranienne|République islamique d'Iran
IRQ IQ Iraq|Republic of Iraq|Iraqi|Irak|Irakienne
IRL IE Ireland|Éire|Republic of Ireland|Irish|Éireannach|Poblacht na hÉireann|Irlande|Irlandaise|Irlandais|Irland|Irisch|Irlanda
IMN IM Isle of Man|Ellan Vannin|Manx
ISR IL Israel|State of Israel|Israeli|Israélienne|Israël|Medinat Yisrael
ITA IT Italy|Italian Republic|Italia|Repubblica Italiana|Italiana|Italiano|Italian|Italie|République italienne|Italienne|Italien|Italienisch|Republik Italien|Italiaanse|Włochy|Włoskie
JAM JM Jamaica|Jamaican
JPN JP Japan|Nihonkoku|Nippon|Japanese|Japon|Japonaise|Japanisch|Japón
JEY JE Jersey|Bailiwick of Jersey
JOR JO Jordan|Hashemite Kingdom of Jordan|Jordanian|Jordanie|Jordanienne|Jordanien
KAZ KZ Kazakhstan|Republic of Kazakhstan|Qazaqstan|Qazaqstan Respublikasy|Kazakh|Kazakhstani|Kasachstan
KEN KE Kenya|Republic of Kenya|Jamhuri ya Kenya|Kenyan|Kenyane|Kenia
KIR KI Kiribati|Republic of Kiribati|I-Kiribati
PRK KP Democratic People's Republic of Korea|Korea, Democratic People's Republic of|North Korea|North Korean
KOR KR Republic of Korea|Korea, Republic of|South Korea|Korea|Daehanminguk|Korean|South Korean|République de Corée|Coréenne|Südkorea
KWT KW Kuwait|State of Kuwait|Kuwaiti|Koweït|Koweïtienne
KGZ KG Kyrgyzstan|Kyrgyz Republic|Kyrgyz Respublikasy|Kyrgyz|Kirgisistan
LAO LA Lao People's Democratic Republic|Laos|Lao PDR|Lao|Laotian
LVA LV Latvia|Republic of Latvia|Latvija|Latvijas Republika|Latvijas|Latvian|Lettonie|République de Lettonie|Lettonne|Lettland|Lettisch|Latvietis
LBN LB Lebanon|Lebanese Republic|République libanaise|Liban|Lebanese|Libanaise|Libanais|Libanon
LSO LS Lesotho|Kingdom of Lesotho|Mosotho|Basotho
LBR LR Liberia|Republic of Liberia|Liberian
LBY LY Libya|State of Libya|Libyan|Libye|Libyenne|Libyen
LIE LI Liechtenstein|Principality of Liechtenstein|Fürstentum Liechtenstein|Liechtensteiner|Liechtensteinisch|Liechtensteinerin
LTU LT Lithuania|Republic of Lithuania|Lietuva|Lietuvos Respublika|Lietuvos|Lithuanian|Lituanie|République de Lituanie|Lituanienne|Litauen|Litauisch|Lietuvis|Lietuvė
LUX LU Luxembourg|Grand Duchy of Luxembourg|Grand-Duché de Luxembourg|Großherzogtum Luxemburg|Groussherzogtum Lëtzebuerg|Lëtzebuerg|Luxemburg|Luxembourger|Luxembourgeoise|Luxembourgeois|Luxemburgisch|Luxemburger|Lëtzebuergesch
MAC MO Macao|Macau|Região Administrativa Especial de Macau|Macanese
MDG MG Madagascar|Repoblikan'i Madagasikara|République de Madagascar|Madagasikara|Malagasy|Malgache
MWI MW Malawi|Republic of Malawi|Malawian
MYS MY Malaysia|Malaysian|Warganegara|Warganegara Malaysia|Malaisie|Malaisienne
MDV MV Maldives|Republic of Maldives|Dhivehiraajje|Maldivian
MLI ML Mali|République du Mali|Malian|Malienne
MLT MT Malta|Republic of Malta|Repubblika ta' Malta|Maltese|Maltija|Malti|Malte|République de Malte|Maltaise|Maltesisch
MHL MH Marshall Islands|Republic of the Marshall Islands|Marshallese
MTQ MQ Martinique
MRT MR Mauritania|République islamique de Mauritanie|Mauritanie|Mauritanian|Mauritanienne
MUS MU Mauritius|Republic of Mauritius|République de Maurice|Mauritian|Mauricienne|Maurice
MYT YT Mayotte
MEX MX Mexico|México|Estados Unidos Mexicanos|United Mexican States|Mexican|Mexicana|Mexicano|Mexique|Mexicaine|Mexiko
FSM FM Micronesia|Federated States of Micronesia|Micronesian
MDA MD Moldova|Republic of Moldova|Republica Moldova|Moldovan|Moldovenească|Moldave|Moldau|Moldavie|République de Moldova
MCO MC Monaco|Principality of Monaco|Principauté de Monaco|Monégasque|Monegasque|Monacan
MNG MN Mongolia|Mongol Uls|Mongolian
MNE ME Montenegro|Crna Gora|Montenegrin|Crnogorsko|Crnogorska|Monténégro|Monténégrine
MSR MS Montserrat|Montserratian
MAR MA Morocco|Kingdom of Morocco|Royaume du Maroc|Maroc|Moroccan|Marocaine|Marocain|Marokko|Marruecos|Marokkanisch
MOZ MZ Mozambique|República de Moçambique|Moçambique|Mozambican|Moçambicana|Moçambicano
MMR MM Myanmar|Republic of the Union of Myanmar|Burma|Burmese
NAM NA Namibia|Republic of Namibia|Namibian
NRU NR Nauru|Republic of Nauru|Nauruan
NPL NP Nepal|Federal Democratic Republic of Nepal|Government of Nepal|Nepali|Nepalese
NLD NL Netherlands|The Netherlands|Kingdom of the Netherlands|Nederland|Koninkrijk der Nederlanden|Royaume des Pays-Bas|Pays-Bas|Dutch|Nederlandse|Nederlands|Néerlandaise|Niederlande|Niederländisch|Países Bajos|Paesi Bassi|Koninkrĳk der Nederlanden
NCL NC New Caledonia|Nouvelle-Calédonie
NZL NZ New Zealand|Aotearoa|Aotearoa New Zealand|New Zealander|Nouvelle-Zélande|Neuseeland
NIC NI Nicaragua|República de Nicaragua|Nicaraguan|Nicaragüense
NER NE Niger|République du Niger|Nigerien|Nigérienne
NGA NG Nigeria|Federal Republic of Nigeria|Nigerian|Nigériane|République fédérale du Nigéria
NIU NU Niue|Niuean
NFK NF Norfolk Island
MKD MK North Macedonia|Republic of North Macedonia|Republika Severna Makedonija|Severna Makedonija|Macedonian|Makedonsko|Republic of Macedonia|Macedonia|Macédoine du Nord|République de Macédoine du Nord|Nordmazedonien|Citizen of the Republic of North Macedonia
MNP MP Northern Mariana Islands
NOR NO Norway|Kingdom of Norway|Norge|Noreg|Kongeriket Norge|Kongeriket Noreg|Norwegian|Norsk|Norvège|Royaume de Norvège|Norvégienne|Norwegen|Norwegisch|Norga|Norge Noreg Norga
OMN OM Oman|Sultanate of Oman|Omani
PAK PK Pakistan|Islamic Republic of Pakistan|Pakistani|Pakistanaise
PLW PW Palau|Republic of Palau|Palauan
PSE PS Palestine|State of Palestine|Palestinian Authority|Palestinian|Palestine, State of
PAN PA Panama|Panamá|República de Panamá|Republic of Panama|Panamanian|Panameña|Panameño
PNG PG Papua New Guinea|Independent State of Papua New Guinea|Papua New Guinean
PRY PY Paraguay|República del Paraguay|Republic of Paraguay|Paraguayan|Paraguaya|Paraguayo
PER PE Peru|Perú|República del Perú|Republic of Peru|Peruvian|Peruana|Peruano|Pérou|Péruvienne
PHL PH Philippines|Republic of the Philippines|Republika ng Pilipinas|Pilipinas|Filipino|Filipina|Philippine|Philippinen
PCN PN Pitcairn
POL PL Poland|Republic of Poland|Polska|Rzeczpospolita Polska|Polskie|Polish|Pologne|République de Pologne|Polonaise|Polonais|Polen|Polnisch|Republik Polen|Polonia|Polaca
PRT PT Portugal|República Portuguesa|Portuguese Republic|Portuguese|Portuguesa|Português|Portugaise|Portugais|République portugaise|Portugiesisch|Portogallo
PRI PR Puerto Rico|Puerto Rican
QAT QA Qatar|State of Qatar|Qatari
REU RE Réunion
ROU RO Romania|România|Republica România|Romanian|Română|Român|Cetățenie română|Roumanie|Roumaine|Roumain|Rumänien|Rumänisch|Rumania
RUS RU Russian Federation|Russia|Rossiyskaya Federatsiya|Russian|Fédération de Russie|Russie|Russe|Russland|Russische Föderation|Russisch
RWA RW Rwanda|Republic of Rwanda|Repubulika y'u Rwanda|République du Rwanda|Rwandan|Rwandaise|Umunyarwanda
BLM BL Saint Barthélemy
SHN SH Saint Helena|Saint Helena, Ascension and Tristan da Cunha
KNA KN Saint Kitts and Nevis|St. Kitts and Nevis|Federation of Saint Christopher and Nevis|Kittitian|Nevisian
LCA LC Saint Lucia|St. Lucia|Saint Lucian
MAF MF Saint Martin
SPM PM Saint Pierre and Miquelon
VCT VC Saint Vincent and the Grenadines|St. Vincent and the Grenadines|Vincentian
WSM WS Samoa|Independent State of Samoa|Samoan
SMR SM San Marino|Repubblica di San Marino|Republic of San Marino|Sammarinese
STP ST Sao Tome and Principe|República Democrática de São Tomé e Príncipe|São Tomé e Príncipe|Santomense
SAU SA Saudi Arabia|Kingdom of Saudi Arabia|Saudi|Saudi Arabian|Arabie saoudite
SEN SN Senegal|Sénégal|République du Sénégal|Senegalese|Sénégalaise|Sénégalais
SRB RS Serbia|Republic of Serbia|Republika Srbija|Srbija|Serbian|Srpsko|Srpska|Serbie|Serbien|Serbisch
SYC SC Seychelles|Republic of Seychelles|Repiblik Sesel|Seychellois|Seychelloise
SLE SL Sierra Leone|Republic of Sierra Leone|Sierra Leonean
SGP SG Singapore|Republic of Singapore|Republik Singapura|Singapura|Singaporean|Singapore Citizen|Singapour|Singapur
SXM SX Sint Maarten
SVK SK Slovakia|Slovak Republic|Slovensko|Slovenská republika|Slovak|Slovenská|Slovaque|République slovaque|Slovaquie|Slowakei|Slowakische Republik|Slowakisch
SVN SI Slovenia|Republic of Slovenia|Slovenija|Republika Slovenija|Slovenian|Slovensko državljanstvo|Slovene|Slovénie|République de Slovénie|Slovène|Slowenien|Slowenisch
SLB SB Solomon Islands|Solomon Islander
SOM SO Somalia|Federal Republic of Somalia|Jamhuuriyadda Federaalka Soomaaliya|Somali|Soomaali
ZAF ZA South Africa|Republic of South Africa|Republiek van Suid-Afrika|Suid-Afrika|South African|RSA|Afrique du Sud|Südafrika|République d'Afrique du Sud
SGS GS South Georgia and the South Sandwich Islands
SSD SS South Sudan|Republic of South Sudan|South Sudanese
ESP ES Spain|Kingdom of Spain|España|Reino de España|Española|Español|Spanish|Espagne|Royaume d'Espagne|Espagnole|Espagnol|Spanien|Spanisch|Espanya|Espanyola|Spagna|Spagnola|Espainia|Espanha|Espanhola|Espainiako
LKA LK Sri Lanka|Democratic Socialist Republic of Sri Lanka|Sri Lankan
SDN SD Sudan|Republic of the Sudan|Sudanese|Soudan|Soudanaise
SUR SR Suriname|Republiek Suriname|Republic of Suriname|Surinamese|Surinaamse
SJM SJ Svalbard and Jan Mayen
SWE SE Sweden|Kingdom of Sweden|Sverige|Konungariket Sverige|Swedish|Svensk|Suède|Royaume de Suède|Suédoise|Schweden|Schwedisch|Svezia
CHE CH Switzerland|Swiss Confederation|Schweiz|Suisse|Svizzera|Svizra|Schweizerische Eidgenossenschaft|Confédération suisse|Confederazione Svizzera|Confederaziun svizra|Confoederatio Helvetica|Swiss|Schweizer|Schweizerin|Schweizerisch|Svizzero|Suiza|Schweiz Suisse Svizzera Svizra Switzerland|Zwitserland
SYR SY Syrian Arab Republic|Syria|Syrian|Syrie|Syrienne|République arabe syrienne|Syrien
TWN TW Taiwan|Republic of China|Taiwan, Province of China|Taiwanese
TJK TJ Tajikistan|Republic of Tajikistan|Jumhurii Tojikiston|Tojikiston|Tajik
TZA TZ Tanzania|United Republic of Tanzania|Jamhuri ya Muungano wa Tanzania|Tanzanian|Mtanzania
THA TH Thailand|Kingdom of Thailand|Thai|Thaïlande
TLS TL Timor-Leste|República Democrática de Timor-Leste|East Timor|Timorese|Timorense
TGO TG Togo|République togolaise|Togolese Republic|Togolese|Togolaise
TKL TK Tokelau
TON TO Tonga|Kingdom of Tonga|Tongan
TTO TT Trinidad and Tobago|Republic of Trinidad and Tobago|Trinidadian|Tobagonian|Citizen of Trinidad and Tobago
TUN TN Tunisia|Republic of Tunisia|République tunisienne|Tunisie|Tunisian|Tunisienne|Tunisien|Tunesien
TUR TR Türkiye|Turkey|Republic of Turkey|Republic of Türkiye|Türkiye Cumhuriyeti|T.C.|TC|Turkish|Türk|Turquie|République de Turquie|République de Türkiye|Turque|Türkei|Türkisch
TKM TM Turkmenistan|Türkmenistan|Turkmen
TCA TC Turks and Caicos Islands
TUV TV Tuvalu|Tuvaluan
UGA UG Uganda|Republic of Uganda|Ugandan|Jamhuri ya Uganda
UKR UA Ukraine|Ukraina|Ukrainian|Ukrainienne|Ukrainisch|Ucraina
ARE AE United Arab Emirates|UAE|Emirati|Émirats arabes unis
GBR GB United Kingdom|United Kingdom of Great Britain and Northern Ireland|Great Britain|UK|U.K.|British Citizen|British|Royaume-Uni|Britannique|Britannique citoyen|Vereinigtes Königreich|Großbritannien|Britisch|Reino Unido|Regno Unito|England|Scotland|Wales|Northern Ireland|Grande-Bretagne
USA US United States of America|United States|USA|U.S.A.|United States of America USA|American|États-Unis|États-Unis d'Amérique|Estados Unidos de América|Estados Unidos|Américaine|Vereinigte Staaten von Amerika|Estadounidense|US Citizen|Stati Uniti d'America
UMI UM United States Minor Outlying Islands
URY UY Uruguay|República Oriental del Uruguay|Oriental Republic of Uruguay|Uruguayan|Uruguaya|Uruguayo
UZB UZ Uzbekistan|Republic of Uzbekistan|O'zbekiston|O'zbekiston Respublikasi|Uzbek|Usbekistan
VUT VU Vanuatu|Republic of Vanuatu|Ripablik blong Vanuatu|Ni-Vanuatu
VEN VE Venezuela|República Bolivariana de Venezuela|Bolivarian Republic of Venezuela|Venezuelan|Venezolana|Venezolano
VNM VN Viet Nam|Vietnam|Việt Nam|Socialist Republic of Viet Nam|Cộng hòa xã hội chủ nghĩa Việt Nam|Vietnamese
VGB VG British Virgin Islands|Virgin Islands (British)
VIR VI United States Virgin Islands|Virgin Islands (U.S.)
WLF WF Wallis and Futuna
ESH EH Western Sahara
YEM YE Yemen|Republic of Yemen|Yemeni
ZMB ZM Zambia|Republic of Zambia|Zambian
ZWE ZW Zimbabwe|Republic of Zimbabwe|Zimbabwean
RKS XK Kosovo|Republic of Kosovo|Republika e Kosovës|Republika Kosovo|Kosova|Kosovës|Kosovar|Kosovare
EUE EU European Union|Europäische Union|Union européenne|Unión Europea|Unione europea
UTO UT Utopia|Utopian|Utopie|Utopienne
"""

# Part 3, section 5: what ICAO adds, and no ISO code says.
_ICAO = """
GBD British Overseas Territories Citizen|British Dependent Territories Citizen
GBN British National (Overseas)
GBO British Overseas Citizen
GBP British Protected Person
GBS British Subject
UNO United Nations Organization|United Nations|Nations Unies
UNA Specialized Agency of the United Nations
UNK United Nations Interim Administration Mission in Kosovo
XBA African Development Bank
XIM African Export-Import Bank
XCC Caribbean Community
XCE Council of Europe
XCO Common Market for Eastern and Southern Africa
XEC Economic Community of West African States
XPO INTERPOL|International Criminal Police Organization
XES Organization of Eastern Caribbean States
XMP Parliamentary Assembly of the Mediterranean
XOM Sovereign Military Order of Malta|Sovrano Militare Ordine di Malta|Ordre Souverain Militaire de Malte
XDC Southern African Development Community
XXA Stateless Person|Stateless|Apatride|Staatenlos|Apátrida|Apolide
XXB Refugee|Réfugié|Flüchtling|Refugiado
XXC Refugee other than under the 1951 Convention
XXX Unspecified Nationality|Nationality Unspecified|Unspecified
"""

# Whose documents name a part of the country and not the country. Georgia is left to the country of that name.
_PARTS = {
    "USA": "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|District of Columbia|Washington DC|"
    "Florida|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|"
    "Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|New York State|"
    "North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|"
    "Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming|Georgia USA|State of Georgia",
    "CAN": "Alberta|British Columbia|Colombie-Britannique|Manitoba|New Brunswick|Nouveau-Brunswick|"
    "Newfoundland and Labrador|Newfoundland Labrador|Nova Scotia|Nouvelle-Écosse|Ontario|Prince Edward Island|Québec|"
    "Saskatchewan|Northwest Territories|Nunavut|Yukon",
    "AUS": "New South Wales|Victoria|Queensland|Western Australia|South Australia|Tasmania|Northern Territory|"
    "Australian Capital Territory",
}  # fmt: skip

# The oval on a car's back, and the letters in the corner of a European licence, where they are no ISO code.
_ON_CARS = {
    "A": "AUT", "B": "BEL", "D": "DEU", "E": "ESP", "F": "FRA", "FIN": "FIN", "FL": "LIE", "H": "HUN", "I": "ITA",
    "IRL": "IRL", "L": "LUX", "M": "MLT", "N": "NOR", "P": "PRT", "S": "SWE", "SLO": "SVN", "V": "VAT",
}  # fmt: skip

_SHORTEST_NEAR = 7  # letters; a shorter name that is one letter off may be another name
_DIGIT_TO_LETTER = str.maketrans("01568", "OISGB")
_NO_DECOMPOSITION = str.maketrans({"Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D", "Æ": "AE", "Œ": "OE", "Þ": "TH", "ẞ": "SS",
                                   "Ə": "E", "Ĳ": "IJ", "İ": "I"})  # fmt: skip


def parse_country(text: str) -> str | None:
    """The code of the country that is printed: by its code, its name or its nationality, also within a longer line.

    "D<<", "DEU", "Deutsch", "BUNDESREPUBLIK DEUTSCHLAND / PASSPORT" are all DEU. A name in which the reader got one
    letter wrong counts where it is nobody else's name. None where no country is named, or several are.
    """
    whole = _plain(text)
    found = _one(text) or _of_parts(text) or _within(whole)
    return found or _names().get(whole.translate(_DIGIT_TO_LETTER)) or _near(whole)


def is_country_code(text: str) -> bool:
    """Whether a machine-readable zone may have it for a country: an alpha-3 code, one of ICAO's, or D."""
    return text == "D" or (len(text) == 3 and text in _codes())


def _plain(text: str) -> str:
    """Upper case without accents, words with one space between, apostrophes and full stops gone."""
    upper = text.upper().translate(_NO_DECOMPOSITION)
    letters = "".join(c for c in unicodedata.normalize("NFKD", upper) if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w]+|_", " ", re.sub(r"['’`.]", "", letters)).split())


def _one(text: str) -> str | None:
    """A name, or a code in capitals: "and" is not Andorra."""
    plain = _plain(text)
    return _names().get(plain) or (_codes().get(plain) if text == text.upper() else None)


def _of_parts(text: str) -> str | None:
    """ "POLSKIE/POLISH", "Française (FRA)": the parts that name a country all name the same one."""
    found = {code for part in re.split(r"[/|(),;:<]|\s-\s", text) if (code := _one(part))}
    return found.pop() if len(found) == 1 else None


def _within(plain: str) -> str | None:
    """The longest names among the words; "NIGER" in "NIGERIA" is none, "KOREA" in "NORTH KOREA" does not count."""
    words = plain.split()
    found: set[str] = set()
    at = 0
    while at < len(words):
        longest = min(len(words) - at, _most_words())
        for length in range(longest, 0, -1):
            code = _names().get(" ".join(words[at : at + length]))
            if code is not None:
                found.add(code)
                at += length - 1
                break
        at += 1
    return found.pop() if len(found) == 1 else None


def _near(plain: str) -> str | None:
    """The one country with a name from which this differs by a single letter."""
    if len(plain) < _SHORTEST_NEAR:
        return None
    found = {code for name, code in _names().items() if abs(len(name) - len(plain)) <= 1 and _one_off(name, plain)}
    return found.pop() if len(found) == 1 else None


def _one_off(first: str, second: str) -> bool:
    """Whether one letter replaced, added or left out makes the one of the other."""
    shorter, longer = sorted((first, second), key=len)
    same = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    return shorter[same + (len(shorter) == len(longer)) :] == longer[same + 1 :]


@cache
def _codes() -> dict[str, str]:
    """Every code → the code in answers."""
    codes = dict(_ON_CARS)
    for line in _COUNTRIES.strip().splitlines():
        three, two, _ = line.split(" ", 2)
        codes |= {three: three, two: three}
    return codes | {three: three for three in (line.split(" ", 1)[0] for line in _ICAO.strip().splitlines())}


@cache
def _names() -> dict[str, str]:
    """Every spelling → its code; of two countries with one spelling, the first in the table."""
    names: dict[str, str] = {}
    rows = [(line[:3], line[7:]) for line in _COUNTRIES.strip().splitlines()]
    rows += [(line[:3], line[4:]) for line in _ICAO.strip().splitlines()]
    for code, spellings in [*rows, *_PARTS.items()]:
        for spelling in spellings.split("|"):
            names.setdefault(_plain(spelling), code)
    return names


@cache
def _most_words() -> int:
    return max(len(name.split()) for name in _names())
