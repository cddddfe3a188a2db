"""Names of people, by the language or culture they come from: family names, and given names of women and men.

What a name is made of is a plain fact of a place, as `locales` has it of shops; any document may name people.
"""

# ruff: noqa: E501 - lists of names; broken at 120 they read no better

from collections.abc import Mapping
from functools import cache
from random import Random

from training.synth.documents.grammar import Rules, coin, expand, rules

INVENTED = 0.12  # share of names that nobody bears, so that none is worth knowing by heart

_NAMES: Mapping[str, str] = {
    "english": """
family: Smith | Jones | Taylor | Brown | Williams | Wilson | Johnson | Davies | Robinson | Wright | Thompson | Evans | Walker | White | Roberts | Green | Hall | Wood | Jackson | Clarke | Clark | Harrison | Scott | Cooper | King | Davis | Harris | Martin | Morgan | Patel | Baker | James | Allen | Morris | Carter | Lee | Anderson | Bailey | Bell | Murphy | Miller | Cox | Richards | Marshall | Simpson | Ellis | Adams | Singh | Begum | Wilkinson | Foster | Chapman | Powell | Webb | Rogers | Gray | Hughes | O'Brien | O'Connor | Mc{family} | Mac{family} | {family}-{family} | {family}son | St. John | Fitzgerald | Byrne | Kelly | Walsh | Ryan | Nguyen | Garcia | Chen | Kowalski
female: Mary | Sarah | Emma | Olivia | Jessica | Charlotte | Grace | Hannah | Lucy | Alice | Angela | Rebecca | Victoria | Elizabeth | Margaret | Susan | Karen | Janet | Ashley | Megan | Amelia | Isla | Chloe | Sophie | Ruth | Helen | Catherine | Jane | Louise | Anne | Zoe | Abigail | Natalie | Michelle | Jennifer | Linda | Patricia | Barbara | Aoife | Siobhan
male: John | James | William | Oliver | Jack | Harry | George | Thomas | Charles | Michael | David | Robert | Andrew | Peter | Paul | Mark | Stephen | Kevin | Brian | Edward | Daniel | Matthew | Joshua | Samuel | Benjamin | Alexander | Henry | Joseph | Ryan | Tyler | Ethan | Noah | Liam | Sean | Patrick | Christopher | Anthony | Gary | Philip | Simon
""",
    "german": """
family: Mustermann | Müller | Schmidt | Schneider | Fischer | Weber | Meyer | Wagner | Becker | Schulz | Hoffmann | Schäfer | Koch | Bauer | Richter | Klein | Wolf | Schröder | Neumann | Schwarz | Zimmermann | Braun | Krüger | Hofmann | Hartmann | Lange | Werner | Krause | Lehmann | Köhler | Herrmann | König | Huber | Kaiser | Fuchs | Scholz | Möller | Weiß | Jung | Hahn | Vogel | Keller | Günther | Berger | Winkler | Roth | Lorenz | Baumann | Gruber | Steiner | Moser | Hofer | Leitner | Egger | Brunner | Bühler | Frei | Graf | von {family} | {family}-{family} | Yılmaz | Kaya | Nowak | Petrović
female: Erika | Anna | Maria | Julia | Katharina | Sabine | Monika | Petra | Ursula | Claudia | Susanne | Andrea | Nicole | Stefanie | Christina | Lena | Laura | Lea | Sophie | Emma | Mia | Hannah | Johanna | Charlotte | Elisabeth | Brigitte | Ingrid | Renate | Helga | Gabriele | Jacqueline | Zoë | Anneliese | Käthe | Franziska | Theresa
male: Max | Peter | Michael | Thomas | Andreas | Wolfgang | Klaus | Jürgen | Günter | Stefan | Christian | Uwe | Werner | Hans | Dieter | Frank | Martin | Daniel | Alexander | Florian | Lukas | Jonas | Felix | Leon | Paul | Finn | Maximilian | Elias | Jörg | Björn | Matthias | Heinz | Karl-Heinz | Hans-Peter | Johannes | Tobias | Sebastian
""",
    "french": """
family: Martin | Bernard | Dubois | Thomas | Robert | Richard | Petit | Durand | Leroy | Moreau | Simon | Laurent | Lefebvre | Michel | Garcia | David | Bertrand | Roux | Vincent | Fournier | Morel | Girard | André | Lefèvre | Mercier | Dupont | Lambert | Bonnet | François | Martinez | Legrand | Garnier | Faure | Rousseau | Blanc | Guérin | Berthier | Perrin | Gauthier | Le {family} | De {family} | {family}-{family} | Peeters | Janssens | Maes | Lacroix | Tremblay | Gagnon | Côté | Bouchard | Benali | Diallo | Nguyen | Favre | Rochat
female: Marie | Jeanne | Françoise | Monique | Catherine | Nathalie | Isabelle | Jacqueline | Anne | Sylvie | Martine | Nicole | Véronique | Christine | Sandrine | Valérie | Sophie | Stéphanie | Céline | Chantal | Julie | Aurélie | Camille | Léa | Manon | Chloé | Emma | Inès | Zoé | Maëlle | Corinne | Hélène | Élodie | Anaïs | Gaëlle | Claire | Adèle | Marie-Claude | Anne-Sophie
male: Jean | Pierre | Michel | André | Philippe | Alain | Bernard | Jacques | Daniel | Patrick | Nicolas | Christophe | Laurent | Frédéric | Éric | Julien | Stéphane | David | Sébastien | Thomas | Alexandre | Antoine | Maxime | Lucas | Hugo | Louis | Gabriel | Raphaël | Arthur | Jules | Théo | Mathieu | François | Jérôme | Olivier | Jean-Luc | Jean-Pierre | Benoît | Loïc | Noël
""",
    "italian": """
family: Rossi | Russo | Ferrari | Esposito | Bianchi | Romano | Colombo | Ricci | Marino | Greco | Bruno | Gallo | Conti | De Luca | Mancini | Costa | Giordano | Rizzo | Lombardi | Moretti | Barbieri | Fontana | Santoro | Mariani | Rinaldi | Caruso | Ferrara | Galli | Martini | Leone | Longo | Gentile | Martinelli | Vitale | Lombardo | Serra | Coppola | De Santis | D'Angelo | Marchetti | D'{family} | Di {family} | Della Valle | Lo {family} | Bernasconi
female: Maria | Anna | Giuseppina | Rosa | Angela | Giovanna | Teresa | Lucia | Carmela | Caterina | Francesca | Antonietta | Laura | Giulia | Chiara | Sara | Martina | Valentina | Alessia | Silvia | Elena | Federica | Paola | Roberta | Elisa | Sofia | Aurora | Ginevra | Alice | Beatrice
male: Giuseppe | Giovanni | Antonio | Mario | Luigi | Francesco | Angelo | Vincenzo | Pietro | Salvatore | Carlo | Franco | Domenico | Bruno | Paolo | Michele | Giorgio | Marco | Luca | Andrea | Alessandro | Matteo | Lorenzo | Davide | Simone | Stefano | Roberto | Nicolò | Leonardo | Riccardo
""",
    "dutch": """
family: de Jong | Jansen | de Vries | van den Berg | Bakker | van Dijk | Visser | Smit | Meijer | de Boer | Mulder | de Groot | Bos | Vos | Peters | Hendriks | van Leeuwen | Dekker | Brouwer | de Wit | Dijkstra | Smits | de Graaf | van der Meer | Kok | Jacobs | de Haan | Vermeulen | van den Heuvel | van der Veen | De Bruijn | Schouten | Willems | Hoekstra | Koster | Prins | Huisman | Postma | Claes | Mertens | Goossens | De Smet | {family}-{family} | El Idrissi | Özdemir
female: Anna | Maria | Johanna | Cornelia | Wilhelmina | Willeke Liselotte | Sanne | Eva | Femke | Lotte | Sophie | Julia | Emma | Anouk | Fleur | Iris | Ingrid | Marieke | Annemieke | Hendrika | Elisabeth | Saskia | Noor | Lieke | Tess | Griet | Liesbeth | An | Els
male: Jan | Johannes | Cornelis | Hendrik | Willem | Pieter | Daan | Bram | Joris | Kees | Thijs | Sem | Lucas | Milan | Jeroen | Bas | Ruben | Tim | Niels | Sander | Gerrit | Dirk | Maarten | Koen | Wout | Luc | Bart | Pieter-Jan
""",
    "spanish": """
one: García | Rodríguez | González | Fernández | López | Martínez | Sánchez | Pérez | Gómez | Martín | Jiménez | Ruiz | Hernández | Díaz | Moreno | Álvarez | Muñoz | Romero | Alonso | Gutiérrez | Navarro | Torres | Domínguez | Vázquez | Ramos | Gil | Ramírez | Serrano | Blanco | Molina | Suárez | Castro | Ortega | Delgado | Ortiz | Marín | Rubio | Medina | Castillo | Cortés | Garrido | Santos | Quispe | Mamani | Flores | Rojas | Vargas | Mendoza | Cárdenas | Restrepo | Muñiz | Núñez | Ibáñez | Peña | de la Cruz | de León | Del Río | Etxeberria | Puig | Ferrer
family: {one} {one} | {one} {one} | {one} {one} | {one} {one} | {one} {one} | {one} {one} | {one} | {one} y {one} | {one} de {one}
female: María | Carmen | Ana | Isabel | Dolores | Pilar | Josefa | Teresa | Rosa | Cristina | Ángeles | Antonia | Laura | Elena | Lucía | Marta | Mercedes | Francisca | Beatriz | Sara | Paula | Raquel | Rocío | Andrea | Sofía | Julia | Martina | Valentina | Camila | Daniela | Gabriela | Ximena | María José | María del Carmen | Luz Marina | Guadalupe
male: Antonio | José | Manuel | Francisco | Juan | David | Javier | Jesús | Daniel | Carlos | Miguel | Alejandro | Rafael | Pedro | Ángel | Pablo | Luis | Sergio | Fernando | Jorge | Alberto | Álvaro | Diego | Adrián | Raúl | Iván | Rubén | Óscar | Andrés | Santiago | Mateo | Sebastián | Juan Carlos | José Luis | Víctor | Martín
""",
    "portuguese": """
one: Silva | Santos | Ferreira | Pereira | Oliveira | Costa | Rodrigues | Martins | Jesus | Sousa | Fernandes | Gonçalves | Gomes | Lopes | Marques | Alves | Almeida | Ribeiro | Pinto | Carvalho | Teixeira | Moreira | Correia | Mendes | Nunes | Soares | Vieira | Monteiro | Cardoso | Rocha | Neves | Coelho | Cruz | Cunha | Pires | Ramos | Reis | Simões | Antunes | Araújo | Conceição | Magalhães | Guimarães
family: {one} {one} | {one} {one} | da {one} | {one} da {one} | dos {one} | {one} de {one} | {one} | de {one} {one} | {one} e {one}
female: Maria | Ana | Catarina | Inês | Beatriz | Joana | Rita | Sofia | Mariana | Carolina | Francisca | Juliana | Fernanda | Patrícia | Aline | Sandra | Adriana | Camila | Amanda | Letícia | Larissa | Vitória | Luísa | Conceição | Helena | Teresa | Cláudia | Márcia
male: João | José | António | Francisco | Manuel | Pedro | Tiago | Miguel | Rui | Carlos | Paulo | Luís | Lucas | Gabriel | Mateus | Rafael | Felipe | Guilherme | Gustavo | Bruno | Rodrigo | Fábio | André | Sérgio | Vítor | Marcelo | Antônio | Duarte | Afonso
""",
    "swedish": """
family: Andersson | Johansson | Karlsson | Nilsson | Eriksson | Larsson | Olsson | Persson | Svensson | Gustafsson | Pettersson | Jonsson | Jansson | Hansson | Bengtsson | Jönsson | Lindberg | Lindström | Lindqvist | Bergström | Sandberg | Sjöberg | Forsberg | Lundgren | Åkesson | Öberg | Nyström | Hedlund | Björk | Söderberg | Ahlström | {family} {family}
female: Anna | Eva | Maria | Karin | Kristina | Lena | Kerstin | Sara | Ingrid | Emma | Malin | Jenny | Hanna | Annika | Elin | Linnéa | Svea | Åsa | Birgitta | Gunilla | Ebba | Wilma | Astrid | Maja
male: Lars | Mikael | Anders | Johan | Erik | Per | Karl | Peter | Thomas | Jan | Daniel | Fredrik | Hans | Andreas | Bengt | Mats | Magnus | Göran | Björn | Åke | Nils | Sven | Oskar | Viktor | Emil | Håkan | Jörgen
""",
    "danish": """
family: Jensen | Nielsen | Hansen | Pedersen | Andersen | Christensen | Larsen | Sørensen | Rasmussen | Jørgensen | Petersen | Madsen | Kristensen | Olsen | Thomsen | Christiansen | Poulsen | Johansen | Møller | Mortensen | Knudsen | Østergaard | Kjær | Holm | Lund | Bøgh | Berg | Haugen | Hagen | Bakke | Solberg | Strand | Dahl | Bø | Ødegård | Nygård | {family} {family}
female: Anne | Kirsten | Mette | Hanne | Anna | Helle | Susanne | Lene | Maria | Marianne | Inger | Karen | Bente | Camilla | Pia | Louise | Ida | Freja | Sofie | Signe | Åse | Ingrid | Solveig | Silje | Kari | Liv | Marit | Gry | Tuva
male: Peter | Michael | Jens | Henrik | Thomas | Lars | Søren | Christian | Jørgen | Niels | Martin | Hans | Morten | Ole | Anders | Jesper | Bjørn | Kåre | Magnus | Emil | Mads | Rasmus | Svein | Kjell | Øyvind | Håkon | Tor | Geir | Odd | Pål
""",
    "finnish": """
family: Korhonen | Virtanen | Mäkinen | Nieminen | Mäkelä | Hämäläinen | Laine | Heikkinen | Koskinen | Järvinen | Lehtonen | Lehtinen | Saarinen | Salminen | Heinonen | Niemi | Heikkilä | Kinnunen | Salonen | Turunen | Salo | Laitinen | Tuominen | Rantanen | Karjalainen | Jokinen | Mattila | Savolainen | Lahtinen | Ahonen | Specimen | Österman
female: Maria | Helena | Johanna | Anneli | Kaarina | Marjatta | Hannele | Kristiina | Liisa | Emilia | Elina | Tuulikki | Annikki | Aino | Sofia | Venla | Kerttu | Päivi | Sirpa | Tiina | Satu | Minna
male: Juhani | Johannes | Olavi | Antero | Tapani | Kalevi | Tapio | Matti | Ilmari | Mikael | Petteri | Pekka | Heikki | Jukka | Timo | Kari | Antti | Mikko | Väinö | Eino | Onni | Jari | Sami | Ville
""",
    "icelandic": """
family: Jónsson | Sigurðsson | Guðmundsson | Gunnarsson | Ólafsson | Einarsson | Kristjánsson | Magnússon | Stefánsson | Jóhannsson | Jónsdóttir | Sigurðardóttir | Guðmundsdóttir | Gunnarsdóttir | Ólafsdóttir | Þór | Björnsdóttir | Árnason | Hauksdóttir
female: Guðrún | Anna | Sigríður | Kristín | Margrét | Helga | Sigrún | Ingibjörg | María | Jóhanna | Ásta | Þóra | Elín | Katrín | Hildur | Björk | Eyrún | Sóley
male: Jón | Sigurður | Guðmundur | Gunnar | Ólafur | Einar | Kristján | Magnús | Stefán | Jóhann | Björn | Árni | Þór | Bjarni | Helgi | Halldór | Gísli | Ragnar | Ævar | Örn
""",
    "baltic": """
family: Tamm | Saar | Sepp | Mägi | Kask | Kukk | Rebane | Ilves | Pärn | Koppel | Oja | Kuusk | Lõhmus | Jõeorg | Männik | Bērziņš | Kalniņš | Ozoliņa | Liepiņa | Krūmiņš | Balodis | Zariņa | Pētersone | Jansons | Eglītis | Kazlauskas | Stankevičius | Petrauskienė | Jankauskas | Žukauskienė | Butkus | Paulauskaitė | Urbonas | Navickas | Vasiliauskaitė | Ivanov | Smirnova | Paraudziņš
female: Mari-Liis | Kristiina | Anu | Katrin | Tiina | Liina | Maarja | Kadri | Anna | Inga | Kristīne | Līga | Ilze | Dace | Zane | Elīna | Agnese | Rūta | Eglė | Austėja | Ugnė | Gabija | Jūratė | Viktorija | Žaneta | Ieva
male: Jaak-Kristjan | Andres | Toomas | Margus | Jaan | Tõnu | Priit | Ülo | Märt | Jānis | Andris | Juris | Edgars | Mārtiņš | Artūrs | Kārlis | Jonas | Vytautas | Tomas | Mindaugas | Žygimantas | Lukas | Darius | Šarūnas
""",
    "polish": """
family: Nowak | Kowalski | Wiśniewski | Wójcik | Kowalczyk | Kamiński | Lewandowski | Zieliński | Szymański | Woźniak | Dąbrowski | Kozłowski | Jankowski | Mazur | Kwiatkowski | Krawczyk | Piotrowski | Grabowski | Zając | Pawłowski | Król | Wróbel | Jabłoński | Wieczorek | Majewski | Stępień | Górski | Kołodziej | {family}-{family}
female: Anna | Maria | Katarzyna | Małgorzata | Agnieszka | Barbara | Krystyna | Ewa | Elżbieta | Zofia | Teresa | Magdalena | Joanna | Janina | Monika | Danuta | Jadwiga | Aleksandra | Halina | Irena | Beata | Marta | Dorota | Julia | Zuzanna | Łucja
male: Piotr | Krzysztof | Andrzej | Tomasz | Jan | Paweł | Michał | Marcin | Stanisław | Jakub | Adam | Marek | Łukasz | Grzegorz | Mateusz | Wojciech | Mariusz | Dariusz | Zbigniew | Jerzy | Maciej | Rafał | Robert | Kamil | Józef | Bartłomiej
""",
    "czech": """
family: Novák | Svoboda | Novotný | Dvořák | Černý | Procházka | Kučera | Veselý | Horák | Němec | Pokorný | Marek | Pospíšil | Hájek | Jelínek | Král | Růžička | Beneš | Fiala | Sedláček | Doležal | Zeman | Kolář | Krejčí | Horváth | Kováč | Varga | Tóth | Nagy | Baláž | Molnár | Szabó | Hudák
family_female: Nováková | Svobodová | Novotná | Dvořáková | Černá | Procházková | Kučerová | Veselá | Horáková | Němcová | Pokorná | Marková | Hájková | Králová | Růžičková | Fialová | Zemanová | Horváthová | Kováčová | Vargová | Tóthová | Nagyová | Balážová | Molnárová | Vzorová | Specimenová
female: Jana | Marie | Eva | Hana | Anna | Lenka | Kateřina | Lucie | Věra | Alena | Petra | Veronika | Jaroslava | Tereza | Martina | Zuzana | Ľudmila | Božena | Barbora | Mária | Katarína | Jarmila | Šárka
male: Jiří | Jan | Petr | Josef | Pavel | Martin | Jaroslav | Tomáš | Miroslav | Zdeněk | František | Václav | Michal | Milan | Karel | Jakub | Lukáš | Ladislav | Ondřej | Vojtěch | Ľubomír | Štefan | Juraj | Ján | Řehoř
""",
    "hungarian": """
family: Nagy | Kovács | Tóth | Szabó | Horváth | Varga | Kiss | Molnár | Németh | Farkas | Balogh | Papp | Lakatos | Takács | Juhász | Mészáros | Oláh | Simon | Rácz | Fekete | Szilágyi | Török | Fehér | Gál | Kőszegi | Szűcs | Vörös | Kocsis | Minta
female: Mária | Erzsébet | Katalin | Ilona | Éva | Anna | Zsuzsanna | Margit | Judit | Ágnes | Julianna | Andrea | Ildikó | Erika | Krisztina | Irén | Eszter | Magdolna | Mónika | Edit | Gabriella | Boglárka | Réka
male: László | István | József | János | Zoltán | Sándor | Gábor | Ferenc | Attila | Péter | Tamás | Zsolt | Tibor | András | Csaba | Imre | György | Bence | Máté | Dávid | Ádám | Levente | Gergő
""",
    "southslavic": """
family: Horvat | Kovačević | Babić | Marić | Jurić | Novak | Kovačić | Vuković | Knežević | Marković | Petrović | Matić | Tomić | Kovač | Pavlović | Božić | Blažević | Grgić | Pavić | Perić | Šarić | Filipović | Zupančič | Krajnc | Potočnik | Kralj | Žagar | Čeh | Jovanović | Nikolić | Đorđević | Ilić | Stojanović | Specimen | {family}-{family}
female: Marija | Ana | Ivana | Mirjana | Katarina | Nada | Dragica | Ljubica | Vesna | Sanja | Lucija | Petra | Martina | Maja | Mateja | Nika | Špela | Živa | Zala | Jelena | Milica | Snežana | Dušica | Željka
male: Ivan | Josip | Marko | Stjepan | Tomislav | Željko | Ante | Mladen | Nikola | Petar | Luka | Franc | Janez | Andrej | Matej | Miha | Žiga | Dejan | Zoran | Milan | Dragan | Đorđe | Miloš | Saša
""",
    "romanian": """
family: Popa | Popescu | Pop | Radu | Ionescu | Dumitru | Stoica | Stan | Munteanu | Moldovan | Gheorghe | Constantin | Marin | Ilie | Rusu | Nistor | Dobre | Barbu | Țurcanu | Ciobanu | Lungu | Mureșan | Câmpeanu | Șerban | Ceban | Rotaru | Moraru | {family}-{family}
female: Maria | Elena | Ioana | Andreea | Ana | Mihaela | Cristina | Daniela | Alexandra | Gabriela | Mariana | Ileana | Ștefania | Raluca | Simona | Carmen | Georgiana | Anișoara | Doina | Ana-Maria
male: Gheorghe | Ioan | Vasile | Constantin | Nicolae | Alexandru | Mihai | Andrei | Adrian | Ștefan | Florin | Cristian | Marius | Ionuț | Bogdan | Răzvan | Dănuț | Dumitru | Sorin | Gabriel | Iosif
""",
    "turkish": """
family: YILMAZ | KAYA | DEMİR | ÇELİK | ŞAHİN | YILDIZ | YILDIRIM | ÖZTÜRK | AYDIN | ÖZDEMİR | ARSLAN | DOĞAN | KILIÇ | ASLAN | ÇETİN | KARA | KOÇ | KURT | ÖZKAN | ŞİMŞEK | POLAT | KORKMAZ | ERDOĞAN | GÜNEŞ | AKSOY | ƏLİYEV | MƏMMƏDOVA | HÜSEYNOV | QULİYEVA
female: FATMA | AYŞE | EMİNE | HATİCE | ZEYNEP | ELİF | MERYEM | ŞERİFE | SULTAN | HANİFE | MERVE | ÖZLEM | ESRA | GÜLŞEN | BÜŞRA | SELİN | DEFNE | AYGÜN | LEYLA | NİGAR | SEVİNC
male: MEHMET | MUSTAFA | AHMET | ALİ | HÜSEYİN | HASAN | İBRAHİM | İSMAİL | OSMAN | YUSUF | MURAT | ÖMER | RAMAZAN | HALİL | SÜLEYMAN | EMRE | CAN | OĞUZ | TOLGA | ELVİN | RƏŞAD | TURAL | KƏRİM
""",
    "albanian": """
family: Hoxha | Shehu | Prifti | Gjoka | Leka | Dervishi | Marku | Kola | Çela | Bushi | Hysa | Rama | Kodra | Basha | Muça | Sula | Xhafa | Lleshi | Përmeti | Ndoja | Gjini
female: Maria | Elena | Drita | Mimoza | Vjollca | Arta | Teuta | Shpresa | Elira | Ermira | Blerta | Zamira | Albana | Anxhela | Suela
male: Arben | Agim | Ilir | Besnik | Dritan | Altin | Genti | Gëzim | Fatos | Ardian | Erion | Klajdi | Luan | Përparim | Bashkim | Edmond
""",
    "greek": """
family: PAPADOPOULOS | PAPADAKI | OIKONOMOU | GEORGIOU | NIKOLAIDIS | VASILEIOU | DIMITRIOU | IOANNIDOU | KARAGIANNIS | ELEFTHERIOU | CHRISTODOULOU | ANTONIOU | PAPPAS | KONSTANTINOU | PANAGIOTOPOULOU
female: MARIA | ELENI | AIKATERINI | VASILIKI | SOFIA | ANGELIKI | GEORGIA | DIMITRA | KONSTANTINA | PANAGIOTA | IOANNA | CHRISTINA
male: GEORGIOS | DIMITRIOS | KONSTANTINOS | IOANNIS | NIKOLAOS | CHRISTOS | PANAGIOTIS | VASILEIOS | ATHANASIOS | MICHAIL | EVANGELOS | SPYRIDON
""",
    "malay": """
person: {male} BIN {male} | {male} BIN {male} {male} | {female} BINTI {male} | {chinese} | {chinese} | {male} A/L {indian} | {female} BINTI ABDUL {male} | MOHD {male} BIN {male}
chinese: {han} {hon} {hon} | {han} {hon} {hon} | {han} {hon} | {english} {han} {hon} {hon}
han: TAN | LIM | LEE | NG | ONG | WONG | GOH | CHUA | CHAN | KOH | TEO | ANG | YEO | TAY | HO | LOW | TOH | SIM | CHEN | LAU | CHEW
hon: WEI | MEI | SIEW | LING | KOK | HUI | CHEE | YONG | BOON | SENG | HOCK | JIA | XIN | YI | MING | KIM | AH | SWEE | LIAN | HWEE | JUN
english: DAVID | JASON | MICHELLE | RACHEL | KELVIN | GRACE | VINCENT
indian: KUMAR | RAMASAMY | SUBRAMANIAM | MUTHU | RAJAN | KRISHNAN | SELVAM
female: NURUL | SITI | AISYAH | FATIMAH | NOR | AZIZAH | ROSNAH | HASLINDA | SYAZWANI | ZAINAB | FARAH | HALIMAH
male: AHMAD | MUHAMMAD | ISMAIL | ABDULLAH | HASSAN | RAHMAN | AZMAN | FARID | HAFIZ | ZULKIFLI | IBRAHIM | YUSOF | KAMAL | RAZAK | SYAFIQ
family: {han} | {han} | {indian}
""",
    "chinese": """
family: TAN | LIM | LEE | NG | ONG | WONG | GOH | CHUA | CHAN | KOH | TEO | ANG | YEO | TAY | HO | LOW | TOH | SIM
female: WEI LING | MEI FEN | SIEW ENG | HUI MIN | JIA XIN | LI HUA | YI LING | SWEE LIAN | RACHEL MEI YI | SHU FEN
male: WEI MING | KOK LEONG | BOON SENG | HOCK CHUAN | JUN JIE | CHEE KEONG | KIM HUAT | JIAN HAO | DAVID ZHI WEI
person: {family} {female} | {family} {male} | {family} {male}
""",
    "indonesian": """
person: {male} {family} | {female} {family} | {male} {male2} {family} | {female} {female2} | {male}
family: SANTOSO | WIJAYA | SETIAWAN | SARI | PUTRA | HIDAYAT | KUSUMA | SAPUTRA | SUSANTO | GUNAWAN | LESTARI | RAHAYU | SIREGAR | NASUTION | SIMANJUNTAK | PRASETYO | NUGROHO | HARTONO
female: SITI | DEWI | SRI | RINA | YULIANA | INDAH | RATNA | MAYA | NURHAYATI | PUTRI | AYU
female2: NUR | MAHARANI | RAHMAWATI | LESTARI | ANGGRAINI | WULANDARI
male: BUDI | AGUS | MUHAMMAD | AHMAD | JOKO | EKO | SLAMET | DEDI | HENDRA | RUDI | ANDI | BAMBANG
male2: ARIF | BAYU | ADI | RIZKI | FAJAR | DWI
""",
    "indian": """
family: SHARMA | GUPTA | PATEL | REDDY | NAIR | IYER | SINGH | KAPOOR | MEHTA | SHAH | RAO | DAS | BANERJEE | JOSHI | KULKARNI | VERMA | KHAN | AGARWAL | BOSE | PILLAI | CHAWLA | MALHOTRA | RAMADUGULA | DESHMUKH | CHATTERJEE | KAUR
female: PRIYA | ANJALI | SUNITA | LAKSHMI | SITA MAHA LAKSHMI | KAVITA | POOJA | DEEPA | MEENA | RADHA | NEHA | SHREYA | ANANYA | GEETA | ASHA
male: RAJESH | AMIT | SURESH | RAHUL | VIJAY | SANJAY | ANIL | RAMESH | ARJUN | VIKRAM | ROHIT | MANOJ | KARTHIK | GANESH | IMRAN | HARPREET
""",
    "filipino": """
family: DELA CRUZ | SANTOS | REYES | GARCIA | MENDOZA | BAUTISTA | VILLANUEVA | RAMOS | AQUINO | CASTRO | DE GUZMAN | DEL ROSARIO | GONZALES | FERNANDEZ | PASCUAL | SALAZAR | TOLENTINO | MACARAEG | DIMAGIBA
female: MARIA CLARA | ANA MARIE | ROSE ANN | JENNIFER | MARICEL | CRISTINA | KRISTINE JOY | ANGELICA | LOURDES | JASMINE | CORAZON
male: JUAN | JOSE | MARK ANTHONY | JOHN PAUL | ANGELO | RAMON | EDUARDO | CHRISTIAN | RODRIGO | FERDINAND | ANDRES | MIGUEL
""",
    "african": """
family: ADEYEMI | OKAFOR | OKONKWO | BALOGUN | ABUBAKAR | EZE | OLUWASEUN | IBRAHIM | MUSA | MWANGI | OTIENO | KAMAU | WANJIRU | ODHIAMBO | KIPCHOGE | NJOROGE | MUTUA | NKOSI | DLAMINI | NDLOVU | MKHIZE | BOTHA | VAN DER MERWE | NAIDOO | KHUMALO | MENSAH | OWUSU | BOATENG | ASANTE | APPIAH
female: AMINA | NGOZI | CHIOMA | FOLAKE | BLESSING | GRACE WANJIKU | MERCY | FAITH | AKINYI | NOMSA | THANDI | LERATO | PRECIOUS | ABENA | AMA | ZAINAB | FUNMILAYO | ESTHER | PALESA
male: CHUKWUEMEKA | EMEKA | TUNDE | OLUMIDE | YUSUF | DANIEL | BRIAN OTIENO | KEVIN | JOSEPH KAMAU | SAMUEL | SIPHO | THABO | MANDLA | PIETER | KWAME | KOFI | EMMANUEL | SULEIMAN | PETER
""",
}


@cache
def names(people: str) -> Rules:
    """Lists of names: "family", "female", "male"; some peoples have "person", a whole name that has no parts."""
    return rules(_NAMES[people])


def family_name(people: str, female: bool, rng: Random) -> str:
    """A family name, now and then an invented one, or two of them."""
    if rng.random() < INVENTED:
        return coin(rng)
    lists = names(people)
    key = "family_female" if female and "family_female" in lists else "family"
    return expand("{" + key + "}", lists, rng)


def given_names(people: str, female: bool, rng: Random) -> str:
    """One to four given names."""
    slot = "{female}" if female else "{male}"
    count = rng.choices((1, 2, 3, 4), (55, 33, 10, 2))[0]
    picked = dict.fromkeys(
        coin(rng) if rng.random() < INVENTED else expand(slot, names(people), rng) for _ in range(count)
    )
    return " ".join(picked)


def whole_name(people: str, rng: Random) -> str:
    """A name without family and given part, where the people has such."""
    return expand("{person}", names(people), rng)
