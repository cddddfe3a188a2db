"""The words that stand beside the fields of identity documents, in every language that the issuers use.

`number_…` and `title_…` end in the name of the document type. Where the first languages of a country have no word
for something, its label is in the next one.
"""

# ruff: noqa: E501 - lists of words; broken at 120 they read no better

from collections.abc import Mapping
from functools import cache

from training.synth.documents.grammar import Rules, rules

_LABELS: Mapping[str, str] = {
    "en": """
title_passport: Passport
title_id_card: Identity Card | National Identity Card | Identification Card | National ID Card | Citizen Card | ID Card | Resident Identity Card
title_driver_licence: Driving Licence | Driving License | Driver Licence | Driver's Licence | Driver License
number_passport: Passport No. | Passport No | Passport number | Passport No. | Document No. | Passport Number
number_id_card: Document No. | Document number | Card No. | Identity card number | ID No. | Document No | Card number | National ID number | Identity Card No.
number_driver_licence: Licence No. | Licence number | Licence No | Driver's licence No. | DL No. | License No.
family_name: Surname | Surname | Surname | Surname | Last name | Family name | Surname(s) | Name | Last Name | Primary identifier
given_name: Given names | Given names | Given name | Given name(s) | First name | First names | Forenames | Other names | Given Names | Names | First name(s) | Secondary identifier
name: Name | Full name | Name | Names | Full Name
birth_date: Date of birth | Date of birth | Date of birth | Date of Birth | DOB | Birth date | Date of Birth (Day/Month/Year)
birth_place: Place of birth | Place of birth | Place of Birth | Birthplace | Place and country of birth
sex: Sex | Sex | Sex | Gender | Sex/Gender
nationality: Nationality | Nationality | Citizenship | Nationality | National status
issuing_country: Issuing state | Country | Issuing country | Country of issue | State
issuing_authority: Authority | Authority | Authority | Issuing authority | Issued by | Issuing office | Authority/Office
issue_date: Date of issue | Date of issue | Date of issue | Issued on | Issue date | Issued | Date of Issue
expiry_date: Date of expiry | Date of expiry | Date of expiry | Valid until | Expiry date | Date of expiration | Expires | Valid till | Expiry | Date of expiry
administrative_number: Personal No. | Personal number | Identification No. | Personal ID number | National ID No. | Personal code
resident_address: Address | Address | Residence | Permanent address | Place of residence | Residential address
type: Type | Type | Document type
country_code: Code | Country code | Code of issuing State | Code of State | Issuing State
height: Height | Height
eyes: Colour of eyes | Eyes
signature: Holder's signature | Signature of bearer | Signature | Signature of holder
remarks: Observations | Remarks | See page 27 | Endorsements
category: Category | Class | Categories | Vehicle categories
restrictions: Conditions | Restrictions | Codes
first_issue: First issue date | Date of first issue
blood: Blood type | Blood group
""",
    "de": """
title_passport: Reisepass | Reisepass | Pass
title_id_card: Personalausweis | Identitätskarte | Ausweis
title_driver_licence: Führerschein | Führerausweis
number_passport: Pass-Nr. | Pass Nr. | Passnummer | Reisepass Nr.
number_id_card: Nummer | Ausweisnummer | Ausweis-Nr. | Karten-Nr. | Dokumentennummer
number_driver_licence: Führerschein-Nr. | Nummer | Führerausweis-Nr.
family_name: Name | Familienname | Name | Nachname | Familienname(n)
given_name: Vornamen | Vornamen | Vorname | Vorname(n)
birth_date: Geburtstag | Geburtsdatum | Geburtsdatum
birth_place: Geburtsort | Geburtsort | Heimatort
sex: Geschlecht
nationality: Staatsangehörigkeit | Nationalität | Staatsbürgerschaft
issuing_authority: Behörde | Behörde | Ausstellungsbehörde | Ausstellende Behörde
issue_date: Datum | Ausstellungsdatum | Ausgestellt am | Tag der Ausstellung
expiry_date: Gültig bis | Gültig bis | Ablaufdatum
administrative_number: Personennummer | AHV-Nr.
resident_address: Anschrift | Wohnort | Anschrift | Adresse
type: Typ | Art
country_code: Kode | Code
height: Größe | Grösse
eyes: Augenfarbe
signature: Unterschrift der Inhaberin/des Inhabers | Unterschrift
category: Klassen | Kategorien
""",
    "fr": """
title_passport: Passeport
title_id_card: Carte d'identité | Carte nationale d'identité
title_driver_licence: Permis de conduire
number_passport: Passeport n° | N° du passeport | Passeport No
number_id_card: N° du document | N° de la carte | Carte n° | No du document
number_driver_licence: N° du permis | Permis n°
family_name: Nom | Nom | Nom | Nom de famille
given_name: Prénoms | Prénoms | Prénom(s) | Prénom
birth_date: Date de naissance | Date de naissance | Né(e) le
birth_place: Lieu de naissance | Lieu de naissance | Lieu d'origine | à
sex: Sexe
nationality: Nationalité
issuing_authority: Autorité | Délivré par | Autorité de délivrance
issue_date: Date de délivrance | Délivré le | Date de délivrance
expiry_date: Date d'expiration | Expire le | Valable jusqu'au | Date d'expir.
administrative_number: N° personnel | N° du registre national | Numéro d'identification
resident_address: Adresse | Domicile | Adresse
type: Type
country_code: Code du pays | Code | Code de l'État
height: Taille
eyes: Couleur des yeux
signature: Signature du titulaire
category: Catégories
""",
    "it": """
title_passport: Passaporto
title_id_card: Carta d'identità | Carta di identità
title_driver_licence: Patente di guida | Licenza di condurre
number_passport: Passaporto N. | Passaporto n°
number_id_card: Carta N. | N. documento | Numero
number_driver_licence: Patente N.
family_name: Cognome
given_name: Nome | Nome | Nomi
birth_date: Data di nascita | Nato il | Data di nascita
birth_place: Luogo di nascita | Luogo e data di nascita | Luogo di nascita | Luogo di attinenza
sex: Sesso
nationality: Cittadinanza
issuing_authority: Autorità | Rilasciato da | Comune di
issue_date: Data di rilascio | Emissione | Rilasciata il
expiry_date: Data di scadenza | Scadenza | Scade il
administrative_number: Codice fiscale
resident_address: Residenza | Indirizzo di residenza
type: Tipo
country_code: Codice Paese
height: Statura
eyes: Colore degli occhi
signature: Firma del titolare
category: Categorie
""",
    "nl": """
title_passport: Paspoort
title_id_card: Identiteitskaart
title_driver_licence: Rijbewijs
number_passport: Documentnummer | Paspoortnummer
number_id_card: Documentnummer | Kaartnummer | Nr. v.d. kaart
number_driver_licence: Rijbewijsnummer
family_name: Naam | Achternaam | Naam
given_name: Voornamen | Voornamen | Voornaam
birth_date: Geboortedatum | Geboortedatum
birth_place: Geboorteplaats | Geboorteplaats
sex: Geslacht
nationality: Nationaliteit
issuing_authority: Autoriteit | Afgegeven door | Instantie
issue_date: Datum van afgifte | Afgiftedatum
expiry_date: Geldig tot | Geldig tot | Vervaldatum
administrative_number: Persoonsnummer | Burgerservicenummer | Rijksregisternr.
resident_address: Adres | Woonplaats
type: Soort | Type
country_code: Code
height: Lengte
eyes: Kleur ogen
signature: Handtekening
category: Categorieën
""",
    "es": """
title_passport: Pasaporte
title_id_card: Documento nacional de identidad | Cédula de identidad | Cédula de ciudadanía | Credencial para votar | Documento de identidad
title_driver_licence: Permiso de conducción | Licencia de conducir | Licencia para conducir | Licencia de conducción
number_passport: Pasaporte No. | Pasaporte Nº | N° Pasaporte | Pasaporte N.
number_id_card: Número de documento | N° documento | Documento | Núm. soporte | Número | DNI Núm.
number_driver_licence: Licencia No. | N° Licencia | No. de licencia
family_name: Apellidos | Apellidos | Apellido / Surname | Apellido | Apellidos
given_name: Nombre | Nombre | Nombres | Nombres | Nombre(s)
name: Nombre | Nombre completo
birth_date: Fecha de nacimiento | Fecha de nacimiento | Nacimiento | Fecha nac.
birth_place: Lugar de nacimiento | Lugar de nacimiento
sex: Sexo
nationality: Nacionalidad
issuing_authority: Autoridad | Autoridad | Expedido por | Equipo
issue_date: Fecha de expedición | Fecha de emisión | Emisión | F. expedición | Expedición
expiry_date: Fecha de caducidad | Fecha de vencimiento | Validez | Válido hasta | Vencimiento | Vigencia | Caducidad
administrative_number: Número personal | CURP | RUN | N° identificación
resident_address: Domicilio | Domicilio | Dirección
type: Tipo
country_code: Código del país | Código país | Cód. país emisor
height: Estatura
eyes: Color de ojos
signature: Firma | Firma del titular
category: Clase | Categoría | Categorías
blood: Grupo sanguíneo | G.S. RH | Tipo de sangre
restrictions: Restricciones
""",
    "pt": """
title_passport: Passaporte
title_id_card: Cartão de cidadão | Carteira de identidade | Bilhete de identidade | Registro geral
title_driver_licence: Carta de condução | Carteira nacional de habilitação
number_passport: Passaporte nº | Nº do passaporte | Passaporte No.
number_id_card: Nº documento | Nº do documento | Registro geral | N.º civil
number_driver_licence: Nº registro | N.º da carta | Registro
family_name: Apelidos | Apelido(s) | Sobrenome | Sobrenome
given_name: Nomes próprios | Nome(s) | Nome | Nome(s) próprio(s)
name: Nome | Nome e sobrenome | Nome
birth_date: Data de nascimento | Data de nascimento | Data nascimento
birth_place: Local de nascimento | Naturalidade | Local nascimento
sex: Sexo
nationality: Nacionalidade
issuing_authority: Autoridade | Órgão expedidor | Entidade emissora
issue_date: Data de emissão | Data de expedição | Data emissão
expiry_date: Válido até | Data de validade | Validade
administrative_number: Nº pessoal | CPF | NIF | Nº identificação
resident_address: Morada | Endereço
type: Tipo
country_code: Código do país | País emissor
height: Altura
eyes: Cor dos olhos
signature: Assinatura do titular
category: Cat. Hab. | Categorias
""",
    "da": """
title_passport: Pas
title_id_card: Identitetskort | Legitimationskort | Nasjonalt ID-kort
title_driver_licence: Kørekort | Førerkort
number_passport: Pas nr. | Passnr.
number_id_card: Kortnr. | Dokumentnr.
number_driver_licence: Kørekortnr. | Førerkort nr.
family_name: Efternavn | Etternavn
given_name: Fornavne | Fornavn
birth_date: Fødselsdato
birth_place: Fødested
sex: Køn | Kjønn
nationality: Nationalitet | Statsborgerskap | Nasjonalitet
issuing_authority: Myndighed | Utstedende myndighet | Udstedt af
issue_date: Udstedelsesdato | Utstedelsesdato | Utstedt
expiry_date: Udløbsdato | Utløpsdato | Gyldig til
administrative_number: Personnr. | Personnummer | Fødselsnr.
resident_address: Adresse
type: Type
country_code: Landekode
height: Højde | Høyde
signature: Underskrift
category: Kategori
""",
    "sv": """
title_passport: Pass
title_id_card: Identitetskort | Nationellt identitetskort | Identitetskort
title_driver_licence: Körkort
number_passport: Pass nr | Passnummer | Passi nro
number_id_card: Kortnummer | ID-kort nr | Kort nr
number_driver_licence: Referensnummer
family_name: Efternamn
given_name: Förnamn
birth_date: Födelsedatum | Födelsetid
birth_place: Födelseort | Födelseort
sex: Kön
nationality: Nationalitet | Medborgarskap
issuing_authority: Myndighet | Utfärdande myndighet
issue_date: Utfärdat | Utfärdandedatum | Utfärdad
expiry_date: Giltigt t.o.m. | Sista giltighetsdag | Gäller t.o.m.
administrative_number: Personnummer | Personnr | Personbeteckning
resident_address: Adress
type: Typ
country_code: Kod
height: Längd
signature: Innehavarens namnteckning
category: Behörighet
""",
    "fi": """
title_passport: Passi
title_id_card: Henkilökortti
title_driver_licence: Ajokortti
number_passport: Passin numero | Passi nro
number_id_card: Kortin numero | Numero
number_driver_licence: Ajokortin numero
family_name: Sukunimi
given_name: Etunimet
birth_date: Syntymäaika
birth_place: Syntymäpaikka | Syntymäkotikunta
sex: Sukupuoli
nationality: Kansalaisuus
issuing_authority: Viranomainen | Myöntäjä
issue_date: Myöntämispäivä | Annettu
expiry_date: Viimeinen voimassaolopäivä | Voimassa
administrative_number: Henkilötunnus
type: Tyyppi
country_code: Valtion tunnus
height: Pituus
signature: Haltijan nimikirjoitus
category: Ajokorttiluokat
""",
    "is": """
title_passport: Vegabréf
title_id_card: Nafnskírteini
title_driver_licence: Ökuskírteini
number_passport: Vegabréf nr.
number_id_card: Númer
family_name: Kenninafn | Eftirnafn
given_name: Eiginnafn | Eiginnöfn
birth_date: Fæðingardagur | Fæðingardagur
birth_place: Fæðingarstaður
sex: Kyn
nationality: Ríkisfang
issuing_authority: Útgefandi
issue_date: Útgáfudagur
expiry_date: Gildir til
administrative_number: Kennitala
type: Tegund
country_code: Land
height: Hæð
signature: Undirskrift
""",
    "et": """
title_passport: Pass
title_id_card: Isikutunnistus
title_driver_licence: Juhiluba
number_passport: Passi number | Passi nr
number_id_card: Dokumendi number
family_name: Perekonnanimi
given_name: Eesnimi | Eesnimed
birth_date: Sünniaeg | Sünniaeg
birth_place: Sünnikoht
sex: Sugu
nationality: Kodakondsus
issuing_authority: Väljaandja
issue_date: Välja antud | Väljaandmise kuupäev
expiry_date: Kehtiv kuni
administrative_number: Isikukood
type: Tüüp
country_code: Riigi kood
signature: Kasutaja allkiri
category: Kategooriad
""",
    "lv": """
title_passport: Pase
title_id_card: Personas apliecība
title_driver_licence: Vadītāja apliecība
number_passport: Pases Nr.
number_id_card: Dokumenta Nr.
family_name: Uzvārds
given_name: Vārds | Vārds(i)
birth_date: Dzimšanas datums
birth_place: Dzimšanas vieta
sex: Dzimums
nationality: Tautība | Valstspiederība
issuing_authority: Izdevējiestāde
issue_date: Izdošanas datums
expiry_date: Derīga līdz
administrative_number: Personas kods
type: Veids
country_code: Valsts kods
height: Augums
signature: Paraksts
""",
    "lt": """
title_passport: Pasas
title_id_card: Asmens tapatybės kortelė
title_driver_licence: Vairuotojo pažymėjimas
number_passport: Paso Nr.
number_id_card: Kortelės Nr.
family_name: Pavardė
given_name: Vardas | Vardas (-ai)
birth_date: Gimimo data
birth_place: Gimimo vieta
sex: Lytis
nationality: Pilietybė
issuing_authority: Išdavė | Įstaiga
issue_date: Išdavimo data | Išduota
expiry_date: Galioja iki
administrative_number: Asmens kodas
type: Tipas
country_code: Valstybės kodas
signature: Parašas
""",
    "pl": """
title_passport: Paszport
title_id_card: Dowód osobisty
title_driver_licence: Prawo jazdy
number_passport: Nr paszportu | Numer paszportu
number_id_card: Numer dowodu osobistego | Seria i numer | Numer dowodu
number_driver_licence: Numer prawa jazdy
family_name: Nazwisko
given_name: Imiona | Imię (imiona) | Imię/imiona
birth_date: Data urodzenia
birth_place: Miejsce urodzenia
sex: Płeć
nationality: Obywatelstwo
issuing_authority: Organ wydający | Organ wydający dowód | Wydany przez
issue_date: Data wydania
expiry_date: Termin ważności | Data ważności
administrative_number: Numer PESEL | PESEL | Nr PESEL
resident_address: Adres zameldowania
type: Typ
country_code: Kod
height: Wzrost
eyes: Kolor oczu
signature: Podpis posiadacza
category: Kategorie
""",
    "cs": """
title_passport: Cestovní pas
title_id_card: Občanský průkaz
title_driver_licence: Řidičský průkaz
number_passport: Číslo pasu
number_id_card: Číslo dokladu | Číslo průkazu
family_name: Příjmení
given_name: Jméno | Jméno (jména)
birth_date: Datum narození
birth_place: Místo narození
sex: Pohlaví
nationality: Státní občanství | Státní příslušnost
issuing_authority: Vydal | Vydal úřad
issue_date: Datum vydání
expiry_date: Platnost do | Datum skončení platnosti
administrative_number: Rodné číslo
resident_address: Trvalý pobyt
type: Typ
country_code: Kód
signature: Podpis
category: Skupiny
""",
    "sk": """
title_passport: Cestovný pas
title_id_card: Občiansky preukaz | Identifikačná karta
title_driver_licence: Vodičský preukaz
number_passport: Číslo pasu
number_id_card: Číslo OP | Číslo dokladu
family_name: Priezvisko
given_name: Meno | Meno(á)
birth_date: Dátum narodenia
birth_place: Miesto narodenia
sex: Pohlavie
nationality: Štátne občianstvo
issuing_authority: Vydal | Vydal orgán
issue_date: Dátum vydania
expiry_date: Platnosť do | Dátum platnosti
administrative_number: Rodné číslo
resident_address: Trvalý pobyt
type: Typ
country_code: Kód štátu
signature: Podpis držiteľa
""",
    "hu": """
title_passport: Útlevél
title_id_card: Személyazonosító igazolvány | Személyi igazolvány
title_driver_licence: Vezetői engedély
number_passport: Útlevélszám | Útlevél száma
number_id_card: Okmányazonosító | Az okmány száma
family_name: Családi név | Vezetéknév | Családi és utónév
given_name: Utónév | Utónevek
birth_date: Születési idő | Születési dátum
birth_place: Születési hely | Születés helye
sex: Nem
nationality: Állampolgárság
issuing_authority: Kiállító hatóság | Kiállította
issue_date: Kiállítás dátuma | Kiállítás kelte
expiry_date: Érvényességi idő | Lejárat dátuma | Érvényes
administrative_number: Személyi azonosító
resident_address: Lakcím
type: Típus
country_code: Államkód
signature: Aláírás
""",
    "hr": """
title_passport: Putovnica | Pasoš
title_id_card: Osobna iskaznica | Lična karta | Osebna izkaznica
title_driver_licence: Vozačka dozvola | Vozniško dovoljenje
number_passport: Putovnica br. | Broj putovnice | Broj pasoša
number_id_card: Broj osobne iskaznice | Broj dokumenta
family_name: Prezime
given_name: Ime
birth_date: Datum rođenja
birth_place: Mjesto rođenja | Mesto rođenja
sex: Spol | Pol
nationality: Državljanstvo
issuing_authority: Izdala | Tijelo koje izdaje | Organ
issue_date: Datum izdavanja
expiry_date: Vrijedi do | Važi do | Datum isteka
administrative_number: Osobni identifikacijski broj | OIB | JMBG
resident_address: Prebivalište
type: Vrsta | Tip
country_code: Kod države
signature: Potpis
""",
    "sl": """
title_passport: Potni list
title_id_card: Osebna izkaznica
title_driver_licence: Vozniško dovoljenje
number_passport: Št. potnega lista
number_id_card: Številka osebne izkaznice
family_name: Priimek
given_name: Ime
birth_date: Datum rojstva
birth_place: Kraj rojstva
sex: Spol
nationality: Državljanstvo
issuing_authority: Pristojni organ | Organ
issue_date: Datum izdaje
expiry_date: Velja do | Datum izteka veljavnosti
administrative_number: EMŠO
resident_address: Stalno prebivališče
type: Tip
country_code: Koda države
signature: Podpis
""",
    "ro": """
title_passport: Pașaport
title_id_card: Carte de identitate | Buletin de identitate
title_driver_licence: Permis de conducere
number_passport: Pașaport nr. | Nr. pașaport
number_id_card: Seria nr | Nr. document | Nr. buletinului
family_name: Nume | Numele
given_name: Prenume | Prenumele
birth_date: Data nașterii
birth_place: Loc naștere | Locul nașterii
sex: Sex | Sexul
nationality: Cetățenie | Cetățenia
issuing_authority: Emisă de | Autoritatea | Emis de
issue_date: Data emiterii | Data eliberării
expiry_date: Data expirării | Valabil până la | Valabilitate
administrative_number: CNP | Cod numeric personal | IDNP
resident_address: Domiciliu
type: Tip
country_code: Cod țară
signature: Semnătura titularului
""",
    "tr": """
title_passport: Pasaport
title_id_card: Kimlik kartı | Türkiye Cumhuriyeti kimlik kartı | Şəxsiyyət vəsiqəsi
title_driver_licence: Sürücü belgesi
number_passport: Pasaport No
number_id_card: Seri No
family_name: Soyadı | Soyadı
given_name: Adı
birth_date: Doğum tarihi
birth_place: Doğum yeri
sex: Cinsiyeti | Cinsiyet
nationality: Uyruğu
issuing_authority: Veren makam | Veren makam
issue_date: Düzenleme tarihi | Veriliş tarihi
expiry_date: Son geçerlilik tarihi | Son geçerlilik | Geçerlilik tarihi
administrative_number: T.C. Kimlik No | TR Kimlik No
type: Türü
country_code: Ülke kodu
signature: İmzası
blood: Kan grubu
""",
    "az": """
title_passport: Pasport
title_id_card: Şəxsiyyət vəsiqəsi
title_driver_licence: Sürücülük vəsiqəsi
number_passport: Pasportun No-si
number_id_card: Seriya No
family_name: Soyadı
given_name: Adı
birth_date: Doğum tarixi | Doğulduğu tarix
birth_place: Doğum yeri
sex: Cinsi
nationality: Vətəndaşlığı
issuing_authority: Pasportu verən orqan | Vəsiqəni verən orqan
issue_date: Verilmə tarixi
expiry_date: Etibarlıdır | Etibarlılıq müddəti
administrative_number: Şəxsi nömrəsi | FİN
type: Tipi
country_code: Dövlətin kodu
signature: Şəxsin imzası
""",
    "sq": """
title_passport: Pasaportë
title_id_card: Letërnjoftim | Letërnjoftim (ID)
title_driver_licence: Leje drejtimi
number_passport: Nr. i pasaportës
number_id_card: Nr. dokumentit
family_name: Mbiemri
given_name: Emri
birth_date: Datëlindja
birth_place: Vendlindja
sex: Gjinia
nationality: Shtetësia
issuing_authority: Autoriteti
issue_date: Data e lëshimit
expiry_date: Data e skadimit
administrative_number: Nr. personal
type: Tipi
country_code: Kodi i vendit
signature: Firma e mbajtësit
""",
    "ms": """
title_passport: Pasport
title_id_card: Kad pengenalan
title_driver_licence: Lesen memandu
number_passport: No. Pasport | No. Pasport
number_id_card: No. Pengenalan | No. Kad Pengenalan
number_driver_licence: No. Pengenalan
name: Nama
birth_date: Tarikh lahir
birth_place: Tempat lahir
sex: Jantina
nationality: Warganegara
issuing_authority: Pejabat yang mengeluarkan
issue_date: Tarikh dikeluarkan
expiry_date: Tarikh tamat tempoh | Tempoh
administrative_number: No. Pengenalan
resident_address: Alamat
type: Jenis
country_code: Kod negara
height: Tinggi
category: Kelas
""",
    "id": """
title_passport: Paspor
title_id_card: Kartu tanda penduduk
title_driver_licence: Surat izin mengemudi
number_passport: No. Paspor
number_id_card: NIK
number_driver_licence: No. SIM
name: Nama | Nama lengkap
birth_date: Tanggal lahir | Tgl. lahir
birth_place: Tempat lahir
sex: Jenis kelamin | Kelamin
nationality: Kewarganegaraan
issuing_authority: Kantor yang mengeluarkan
issue_date: Tanggal pengeluaran
expiry_date: Tanggal habis berlaku | Berlaku hingga
administrative_number: NIK
resident_address: Alamat
type: Jenis
country_code: Kode negara
""",
}


@cache
def labels(language: str) -> Rules:
    """Every label of a language. Raises KeyError for one that has none."""
    return rules(_LABELS[language])
