"""What a country's shops have in common: names, addresses, phone and tax numbers, dates, money and words.

Plain facts, written as short lists for `grammar`. The same lists serve every document type that is sold
or billed in the country.
"""

# ruff: noqa: E501 - lists of words; broken at 120 they read no better

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

from docextract.documents.values import DateOrder
from training.synth.documents.grammar import Rules, rules


@dataclass(frozen=True)
class Locale:
    """One country, as its tills print."""

    code: str  # ISO 3166-1 alpha-2
    weight: float  # share of the receipts made up
    language: str
    currency: str
    date_order: DateOrder
    money: tuple[str, ...]  # templates for an amount to pay, most usual first
    dates: tuple[str, ...]  # templates of `print_date`
    clocks: tuple[str, ...]  # templates of `print_time`
    tax_rates: tuple[str, ...]  # percent
    tax_added: float  # probability that prices are before tax
    lists: Rules
    comma: bool = False  # 12,50 rather than 12.50
    cash_step: Decimal = Decimal("0.01")  # what a total is rounded to where cash is rounded
    price_scale: int = 1  # how many units of the currency a small thing costs, roughly


_DMY = (
    "{d:02}/{m:02}/{y}", "{d:02}/{m:02}/{y}", "{d:02}/{m:02}/{y}", "{d:02}-{m:02}-{y}", "{d:02}/{m:02}/{s:02}",
    "{d:02}-{m:02}-{s:02}", "{d}/{m}/{y}", "{d:02} {mon} {y}", "{d:02} {mon} {s:02}", "{d:02}-{mon}-{y}",
    "{d:02}/{mon}/{y}", "{d:02}.{m:02}.{y}", "{d:02}.{m:02}.{s:02}", "{y}-{m:02}-{d:02}", "{d} {month} {y}",
    "{y}/{m:02}/{d:02}", "{d:02}-{mon}-{s:02}", "{y}{m:02}{d:02}", "{mon} {d}, {y}", "{d:02} {m:02} {y}",
)  # fmt: skip
_ENGLISH_DMY = (*_DMY, "{day} {d:02}/{m:02}/{y}", "{d:02}{mon}{y}", "{d:02}{mon}'{s:02}", "{day} {d} {mon} {y}")
_MDY = (
    "{m:02}/{d:02}/{y}", "{m:02}/{d:02}/{y}", "{m}/{d}/{y}", "{m}/{d}/{y}", "{m:02}/{d:02}/{s:02}", "{m}/{d}/{s:02}",
    "{m:02}-{d:02}-{y}", "{m:02}-{d:02}-{s:02}", "{mon} {d}, {y}", "{mon} {d:02}, {y}", "{month} {d}, {y}",
    "{d:02}-{mon}-{y}", "{d:02} {mon} {y}", "{y}-{m:02}-{d:02}", "{mon} {d:02} '{s:02}", "{day} {m:02}/{d:02}/{y}",
    "{mon}{d:02}'{s:02}", "{m:02}.{d:02}.{y}", "{day}, {mon} {d}, {y}",
)  # fmt: skip
_DOTTED = (
    "{d:02}.{m:02}.{y}", "{d:02}.{m:02}.{y}", "{d:02}.{m:02}.{y}", "{d:02}.{m:02}.{s:02}", "{d:02}.{m:02}.{s:02}",
    "{d}.{m}.{y}", "{d:02}. {month} {y}", "{d:02}/{m:02}/{y}", "{y}-{m:02}-{d:02}", "{day}, {d:02}.{m:02}.{y}",
    "{d:02}.{mon}.{y}", "{d:02}-{m:02}-{y}",
)  # fmt: skip
_H24 = ("{h:02}:{i:02}", "{h:02}:{i:02}", "{h:02}:{i:02}:{s:02}", "{h:02}:{i:02}:{s:02}", "{h}:{i:02}")
_H12 = (
    "{t}:{i:02} {ap}",
    "{t:02}:{i:02} {ap}",
    "{t}:{i:02}:{s:02} {ap}",
    "{t:02}:{i:02}:{s:02} {ap}",
    "{t:02}:{i:02}{ap}",
)
_MIXED = (*_H24, *_H24, *_H12)

_MONTHS: Mapping[str, str] = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
_SHORT_MONTHS: Mapping[str, str] = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de": "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "da": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "sv": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "is": "jan feb mar apr maí jún júl ágú sep okt nóv des",
    "hu": "jan feb már ápr máj jún júl aug szep okt nov dec",
    "ro": "ian feb mar apr mai iun iul aug sep oct noi dec",
    "tr": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
    "id": "Jan Feb Mar Apr Mei Jun Jul Agt Sep Okt Nov Des",
}
_DAYS: Mapping[str, str] = {
    "en": "Mon Tue Wed Thu Fri Sat Sun",
    "de": "Mo Di Mi Do Fr Sa So",
    "fr": "lun mar mer jeu ven sam dim",
    "es": "lun mar mié jue vie sáb dom",
    "it": "lun mar mer gio ven sab dom",
    "nl": "ma di wo do vr za zo",
    "pt": "seg ter qua qui sex sáb dom",
}


def print_date(day: date, template: str, language: str) -> str:
    """A day in one of a locale's templates. Of some languages only the months' short names are known."""
    short = _SHORT_MONTHS[language]
    return template.format(
        d=day.day,
        m=day.month,
        y=day.year,
        s=day.year % 100,
        mon=short.split()[day.month - 1],
        month=_MONTHS.get(language, short).split()[day.month - 1],
        day=_DAYS.get(language, _DAYS["en"]).split()[day.weekday()],
    )


def print_time(moment: time, template: str) -> str:
    """A time in one of a locale's templates; {t} is the hour on a 12-hour clock."""
    half = "AM" if moment.hour < 12 else "PM"
    return template.format(h=moment.hour, t=(moment.hour - 1) % 12 + 1, i=moment.minute, s=moment.second, ap=half)


def to_cents(amount: Decimal) -> Decimal:
    """As a till rounds: half a cent up."""
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def print_amount(amount: Decimal, comma: bool = False, grouped: bool = True) -> str:
    """Two decimals, with a decimal comma where the locale has one. The sign is kept."""
    text = f"{amount:,.2f}" if grouped else f"{amount:.2f}"
    return text.translate(_SWAPPED) if comma else text


_SWAPPED = str.maketrans(",.", ".,")

# Words that every language's shops share. {trade} is filled with the trade at hand.
_ANYWHERE = """
initials: {letter}{letter} | {letter}{letter}{letter} | {letter} {letter} | {letter}&{letter} | {letter}. {letter}.
brandish: {coin} | {coin} | {coin}{coin2} | {coin} {n} | {coin} & {coin}
coin2: mart | ex | tech | line | way | shop | land | one | max | pro | hub | food | wear | care | plus | box | net | go
"""

_ENGLISH = """
adjective: Golden | Happy | Royal | Lucky | Green | Blue | Red | Silver | Old | New | Little | Big | Grand | Fresh | Sweet
    | Urban | Rustic | Sunny | Wild | Crazy | Hungry | Smart | Prime | Express | Super | Mega | Village | Country | Corner
    | Royal | Crystal | Diamond | Jolly | Noble | Twin | Northern | Southern | Eastern | Western | Central | Pacific | Modern
thing: Dragon | Lotus | Star | Garden | Harbor | Bridge | Lemon | Olive | Apple | Rose | Lion | Tiger | Eagle | Fox | Whale
    | Barrel | Anchor | Lantern | Kettle | Spoon | Fork | Oven | Wagon | Mill | Stone | River | Lake | Mountain | Valley | Sun
    | Moon | Cloud | Rain | Fire | Maple | Oak | Cedar | Pine | Willow | Peacock | Rooster | Crab | Lobster | Salmon | Bear
    | Elephant | Monkey | Panda | Pearl | Jade | Ruby | Crown | Castle | Tower | Gate | Temple | Palace | Station | Market
family: Smith | Johnson | Miller | Davis | Wilson | Anderson | Taylor | Moore | Jackson | Martin | Lee | Thompson | White
    | Harris | Clark | Lewis | Walker | Hall | Young | King | Wright | Hill | Scott | Adams | Baker | Nelson | Carter
    | Mitchell | Roberts | Turner | Phillips | Campbell | Parker | Evans | Edwards | Collins | Stewart | Morris | Murphy
    | Cook | Rogers | Morgan | Cooper | Reed | Bailey | Bell | Kelly | Howard | Ward | Cox | Richardson | Watson | Brooks
    | Wood | Bennett | Gray | James | Hughes | Price | Myers | Long | Foster | Sanders | Ross | Powell | Sullivan | Russell
    | Ortiz | Jenkins | Gutierrez | Perry | Butler | Barnes | Fisher | Henderson | Coleman | Simmons | Patterson | Jordan
    | Reynolds | Hamilton | Graham | Kim | Gonzales | Wallace | Woods | Cole | West | Owens | Rossi | Romano | Schultz
given: Anna | Ben | Carla | Daniel | Emma | Frank | Grace | Henry | Isabel | Jack | Karen | Luis | Maria | Nick | Olivia
    | Paul | Rosa | Sam | Tony | Victor | Wendy | Joe | Mike | Sarah | Lisa | Jose | Amy | Kevin | Laura | Steve | Nina | Omar
cuisine: Thai | Mexican | Italian | Greek | Ethiopian | Korean | Japanese | Indian | Chinese | French | Cuban | Texas | Cajun | Lebanese | Vietnamese | Turkish | Peruvian | Hawaiian | Irish | Southern | Sichuan
number: One | Two | Three | Four | Seven | 21 | 24 | 99 | 101 | 5 | 7 | 360 | 1st | 3
trade_restaurant: Restaurant | Grill | Kitchen | Diner | Bistro | Eatery | Steakhouse | Pizzeria | Pizza | BBQ | Tavern | Pub
    | Sushi | Noodle House | Thai Cuisine | Indian Cuisine | Mexican Grill | Taqueria | Burgers | Seafood | Bar & Grill
    | Ramen | Pho | Buffet | Brasserie | Wings | Sandwich Shop | Deli | Cantina | Chophouse | Chinese Restaurant | Curry House
    | Italian Restaurant | Trattoria | Smokehouse | Oyster Bar | Food Court | Brewery | Chicken | Dim Sum | Brunch
trade_cafe: Cafe | Coffee | Coffee House | Coffee Roasters | Espresso Bar | Tea House | Bubble Tea | Juice Bar | Creamery
    | Ice Cream | Gelato | Donuts | Bakery | Patisserie | Cake House | Bagels | Bakehouse | Desserts
trade_grocery: Market | Supermarket | Foods | Grocery | Mart | Food Mart | Mini Mart | Fresh Market | Farm Market | Convenience
    | Corner Store | Butchers | Produce | Superstore | Wholesale | Cash & Carry | Liquors | Wine & Spirits | Fishmonger
    | Organic Foods | Provisions | Hypermarket | Stores | Express | News & Food
trade_hardware: Hardware | Tools | Building Supply | Lumber | Home Center | DIY | Paint & Decor | Electrical | Plumbing Supply
    | Timber | Garden Center | Nursery | Auto Parts | Tyres | Locksmith | Tiles | Machinery | Bicycle Shop
trade_pharmacy: Pharmacy | Drugs | Chemist | Health & Beauty | Optical | Dental Clinic | Wellness | Medical Supply | Herbs
trade_clothing: Fashion | Apparel | Boutique | Shoes | Clothing | Outfitters | Sportswear | Jewelry | Tailoring | Kids | Denim
    | Leather | Cosmetics | Perfumery | Toys | Gifts | Home Deco | Furniture | Florist
trade_stationery: Books | Stationery | Office Supplies | Bookstore | Print | Arts & Crafts | Copy Center | Comics | Music
trade_electronics: Electronics | Computers | Mobile | Phone Repair | Camera | Audio | Tech | Appliances | Games | IT Store
trade_services: Parking | Laundry | Dry Cleaners | Hair Salon | Barber Shop | Nail Spa | Car Wash | Auto Service | Hotel | Inn
    | Cinema | Gym | Spa | Taxi | Pet Grooming | Tailor | Repair | Courier | Travel | Garage
trade_fuel: Gas | Fuel | Service Station | Petroleum | Gas & Go | Petrol Station | Fuel Stop | Oil | Filling Station | Energy
dish: Burger | Cheeseburger | Caesar Salad | Chicken Wings | Fish & Chips | Pad Thai | Fried Rice | Chicken Curry | Ramen
    | Tacos | Burrito | Quesadilla | Margherita Pizza | Pepperoni Pizza | Lasagna | Spaghetti Bolognese | Ribeye Steak | Salmon
    | Club Sandwich | French Fries | Onion Rings | Soup of the Day | Miso Soup | Spring Rolls | Dumplings | Nachos | Lamb Chop
    | Beef Noodle | Pork Chop | Roast Duck | Mac & Cheese | Grilled Cheese | Pancakes | Omelette | Eggs Benedict | Veggie Bowl
    | Chicken Katsu | Sashimi | California Roll | Garlic Bread | Green Salad | Naan | Biryani | Butter Chicken | Samosa | Lunch
    | Dinner Buffet | Kids Meal | Hot Dog | Philly Steak | Chicken Parm | Shrimp Scampi | Clam Chowder | Tofu | Short Ribs
drink: Coke | Diet Coke | Sprite | Iced Tea | Lemonade | Orange Juice | Coffee | Hot Tea | Latte | Cappuccino | Espresso
    | Mineral Water | Beer | Draft Beer | IPA | House Red | Chardonnay | Margarita | Mojito | Milkshake | Smoothie | Root Beer
    | Sparkling Water | Green Tea | Hot Chocolate | Mocha | Americano | Flat White | Chai Latte | Soft Drink | Martini
twist: {dish} | {dish} | {dish} | {adjective} {dish} | {dish} w/ Cheese | Spicy {dish} | Large {dish} | {dish} Combo
    | {coin} {dish} | {dish} Set {letter} | {dish} (L) | {dish} (S) | No {n}. {dish} | Half {dish} | Grilled {dish} | {coin} Bowl
    | {dish} To Go | House {dish} | {d2}. {dish}
items_restaurant: {twist} | {twist} | {twist} | {drink} | {drink} Refill | Small {drink} | Large {drink} | Extra Sauce | Dessert
    | Cheesecake | Ice Cream | Steamed Rice | Side Salad | Add Bacon | Open Food | Delivery Fee
items_cafe: {drink} | {drink} | Iced {drink} | {drink} Grande | 12oz {drink} | 16oz {drink} | Oat {drink} | Croissant | Muffin
    | Bagel w/ Cream Cheese | Blueberry Scone | Brownie | Cheesecake Slice | Banana Bread | Cookie | Chocolate Cake | Egg Tart
    | {coin} Blend 250g | Ham Sandwich | Avocado Toast | Butter Bun | Sausage Roll | Apple Pie | Sourdough Loaf | Donut Glazed
grocery: Milk | Bread | Eggs | Butter | Cheese | Yogurt | Bananas | Apples | Tomatoes | Potatoes | Onions | Carrots | Lettuce
    | Chicken Breast | Ground Beef | Bacon | Salmon Fillet | Rice | Pasta | Flour | Sugar | Salt | Olive Oil | Cereal | Oats
    | Coffee | Tea Bags | Orange Juice | Water | Soda | Beer | Wine | Chocolate | Biscuits | Chips | Crackers | Peanut Butter
    | Jam | Honey | Ketchup | Mustard | Soy Sauce | Noodles | Canned Tuna | Beans | Frozen Peas | Ice Cream | Detergent
    | Toilet Paper | Kitchen Towel | Shampoo | Soap | Toothpaste | Diapers | Cat Food | Dog Food | Batteries | Plastic Bag | Tofu
    | Mushroom | Garlic | Ginger | Avocado | Grapes | Oranges | Lemon | Cucumber | Spinach | Broccoli | Tortilla | Sausages
size: {n}00G | {n}00ML | {n}KG | 1L | 1.5L | 2L | {n}00g | 12PK | 6X{n}0G | LRG | SML | 250G | {n}S | 24CT | 16OZ | 12 oz | 1 LB | 5LB
items_grocery: {grocery} | {coin} {grocery} | {grocery} {size} | {coin} {grocery} {size} | {adjective} {grocery} | Organic {grocery}
    | {coin} {grocery} {size} | {brandish} {grocery} | GV {grocery} | Whole {grocery} | Low Fat {grocery} | {grocery}
tool: Hammer | Screwdriver | Drill Bit {n}MM | Cable Tie | Paint Roller | Masking Tape | Duct Tape | Sandpaper P{n}20 | LED Bulb {n}W
    | PVC Pipe {n}/2" | Elbow 90 | Ball Valve | Wall Plug | Screw M{n}X{n}0 | Bolt & Nut | Hinge | Padlock 40MM | Door Knob
    | Silicone Sealant | Wood Glue | Super Glue | Cement 50KG | Sand | Brick | Plywood 4X8 | Wire 2.5MM | Socket 13A | Switch 1G
    | Extension Cord | Battery AA | Cotton Gloves | Broom | Bucket | Hose 10M | Garden Soil | Flower Pot | Spray Paint | Primer 1L
    | Emulsion 5L | Paint Brush 2" | Caulking Gun | Measuring Tape 5M | Spanner | Pliers | Hacksaw Blade | Angle Grinder | Ladder
items_hardware: {tool} | {coin} {tool} | {tool} | {letter}{letter}{n2} {tool} | {coin} {tool} {n2}-{n} | {tool} {adjective}
items_pharmacy: Paracetamol 500mg | Ibuprofen 200mg | Vitamin C 1000 | Cough Syrup | Bandage | Face Mask 50s | {coin} Cream 50g
    | {coin} Tablets {n0}s | Hand Sanitizer | Sunscreen SPF50 | Shampoo {coin} | Toothbrush | Mouthwash | Eye Drops | Lip Balm
    | {coin} Capsules 30s | Throat Lozenges | Thermometer | Moisturizer | Hair Color | Razor 5s | {coin} Serum 30ml | Rx {n6}
n0: 10 | 20 | 30 | 60 | 100
color: Black | White | Navy | Red | Grey | Blue | Green | Beige | Pink | Brown | BLK | WHT | NVY
items_clothing: T-Shirt {color} | Jeans {n2} | Dress {color} M | Socks 3pk | Sneakers {n2} {color} | Polo Shirt L | Hoodie {color} XL
    | Skirt S | Belt {color} | Scarf | Cap {color} | {coin} Jacket | {coin} Bag | Earrings | Necklace | Sandals {n2} | Towel | Cushion
    | Photo Frame | Vase {color} | Candle {coin} | Toy Car | Puzzle {n}00pc | Wrapping Paper | Lipstick {coin} | Rose Bouquet
items_stationery: Ball Pen {color} | Pencil 2B | Eraser | Notebook A5 | A4 Paper 80gsm | Stapler | Staples No.10 | Ruler 30cm
    | Glue Stick | Marker {color} | Highlighter | Envelope A4 | Birthday Card | File Folder | Calculator | Scissors | {coin} Novel
    | Photocopy A4 BW | Color Print A3 | Laminate A4 | Binding | Sticky Notes | Crayons 24s | Diary 20{d2} | Correction Tape
items_electronics: USB Cable {n}M | Charger {n}0W | Earphones | {coin} Mouse | Keyboard {coin} | HDMI Cable | Power Bank | SD Card 64GB
    | Screen Protector | Phone Case {color} | {coin} Speaker | LED Monitor {n2}" | Printer Ink {n3} | Adapter | Router {coin} X{n}
    | {coin} {letter}{n3} | Battery CR2032 | Fan 16" | Kettle 1.7L | Toaster | Webcam | SSD 500GB | Repair Labour | Remote
items_services: Parking {n} hr | Wash & Fold | Dry Clean Suit | Men's Haircut | Haircut & Blow Dry | Manicure | Full Wash | Oil Change
    | Room {n3} | City Tax | Ticket Adult | Ticket Child | Day Pass | Massage 60 min | Service Charge Item | Labour | Tow Service
    | Shirt Press | Delivery | Locker | Membership | Alignment | Brake Pads | Wax | Color Treatment | Fare | Popcorn Large
items_fuel: Unleaded | Regular | Premium | Diesel | Super 95 | V-Power 98 | RON95 | RON97 | Pump {n} Regular | Pump {n} Diesel
    | Car Wash | Engine Oil 1L | Windscreen Washer | {drink} | Snack Bar | Chewing Gum | Cigarettes | AdBlue | Propane | Ice Bag
name: {brandish} {trade} | {brandish} | {family}'s {trade} | {family} {trade} | {adjective} {thing} {trade} | {adjective} {thing}
    | The {thing} & {thing} | The {adjective} {thing} | {family} & {family} | {given}'s {trade} | {coin} {trade} | {initials} {trade}
    | {thing} {trade} | {brandish} {trade} | {given} & {given} {trade} | {coin}'s | {family} Bros {trade} | {trade} {n2}
    | {brandish} {trade} {suffix} | {family} {trade} {suffix} | {coin} {trade} {town} | {trade} of {coin} | {coin} {thing}
    | {coin} #{n4} | {coin} {trade} #{n3} | {brandish} Store {n4} | {thing} on {family} | {cuisine} {trade} | {coin} {cuisine} {trade} | {given}'s {cuisine} {trade} | {family} & Sons {trade} | {adjective} {trade} | The {trade} | {coin} by {given} | {cuisine} {thing} | {coin} {thing} {trade} | {number} {thing} {trade}
"""

_MALAYSIA = """
hanzi: Yong | Tat | Aik | Huat | Seng | Heng | Hong | Hwa | Soon | Fatt | Kee | Wah | Lian | Hing | Boon | Chong | Chin | Ming
    | Guan | Hock | Leong | Wan | Sheng | Zheng | Hui | Kim | Lim | Tan | Teo | Wong | Khoo | Ng | Ong | Lee | Chan | Goh | Lau
    | Tiong | Sin | Fook | Keong | Ban | Ann | Giap | Eng | Joo | Swee | Poh | Choon | Weng | Hup | Thye | Jin | Sang | Mei | Xin
malay: Maju | Jaya | Indah | Setia | Sri | Seri | Mutiara | Bintang | Cahaya | Harapan | Bahagia | Damai | Permata | Utama
    | Gemilang | Perdana | Murni | Warisan | Sinar | Bestari | Wawasan | Impian | Budi | Restu | Ria | Mesra | Suria | Kencana
    | Amanah | Berkat | Barakah | Rezeki | Aman | Sentosa | Makmur | Idaman | Pintar | Mewah | Mega | Ceria | Nusantara | Selera
indian: Raju | Kumar | Ibrahim | Hassan | Pelita | Hameed | Ali | Maideen | Kannan | Ganesh | Selvam | Nasir | Rahman | Yusof
stem: {hanzi} {hanzi} | {hanzi} {hanzi} | {hanzi} {hanzi} {hanzi} | {malay} {malay} | {malay} | {coin} | {coin} | {coin} {coin}
    | {initials} | {adjective} {thing} | {thing} | {indian} {malay} | {letter} {letter} {hanzi} | {coin}{coin2} | {hanzi} {hanzi} {malay}
    | {number} {thing} | {adjective} {coin} | {initials} {malay} | {brandish} | {hanzi} Brothers | {letter} {number} | Mr. {letter}.{letter}.{letter}. | The {adjective} {thing} | {number} {number} {number} | {thing}{thing2} | {adjective} {thing} | {family}'s | {coin}'s | {letter}.{letter}.{letter} | Big {hanzi} | {given} & {given}
thing2: room | light | scoop | box | leaf | point | field | craft | bay | land | mate
number: One | Two | Three | Four | Five | 8 | 88 | 99 | 101 | 113 | 28 | 32 | 1 | 7 | 24 | 168 | 10 | 18 | 21 | 555 | 333
suffix: Sdn Bhd | Sdn Bhd | Sdn Bhd | Sdn Bhd | Sdn. Bhd. | Sdn. Bhd. | Sdn.Bhd. | S/B | SB | Enterprise | Enterprise | Trading | Trading Co
    | Berhad | Bhd | Company | & Co | Co. | Holdings Sdn Bhd | Marketing Sdn Bhd | Trading Sdn Bhd | Enterprise Sdn Bhd | Resources
    | Group Sdn Bhd | Ventures | Supplies | & Sons Sdn Bhd | Retail Sdn Bhd | PLT | Industries Sdn Bhd | (M) Sdn Bhd | (M) Sdn. Bhd.
    | (KL) Sdn Bhd | (Malaysia) Sdn Bhd | (Johor) Sdn Bhd | International Sdn Bhd | Global Sdn Bhd | (SP) Sdn Bhd | (PJ) Sdn Bhd
trade_restaurant: Restaurant | Restoran | Kopitiam | Seafood Restaurant | Cafe | Bistro | Food Court | Kitchen | Cuisine | Steamboat
    | Nasi Kandar | Curry House | Bak Kut Teh | Food Services | F&B | Gourmet | Kitchenette | Food & Beverage | Catering | Noodle House
trade_cafe: Cafe | Coffee | Kopitiam | Bakery | Cake House | Bakeries | Confectionery | Tea House | Dessert | Roti & Coffee | Toast
trade_grocery: Mart | Mini Mart | Minimarket | Supermarket | Hypermarket | Cash & Carry | Pasar Mini | Fresh Mart | Provision Shop
    | Superstore | Grocer | Runcit | Frozen Food | Fruits | Pasaraya | Vegetables | Express Mart | Wholesale
trade_hardware: Hardware | Hardware & Electrical | Hardware Centre | Hardware Trading | Electrical Supplies | Paint | Hardware & Timber
    | Machinery | Building Materials | Auto Parts | Tyre & Battery | Sanitary Ware | Lighting Gallery | Plastic | Packaging | Paper
trade_pharmacy: Pharmacy | Farmasi | Healthcare | Health & Beauty | Chinese Medical Hall | Personal Care | Klinik | Optical | Medical
trade_clothing: Fashion | Boutique | Textile | Handicraft & Tailoring | Shoes | Gift & Home Deco | Furnishing | Florist & Handicraft
    | Jewellery | Cosmetics | Toys | Beauty | Lifestyle | Home Living | Impression | Sports
trade_stationery: Stationery | Stationers & Print | Stationery & Books | Book Centre | Stationery & Office Supplies | Printing | Print Expert
    | Bookstore | Alat Tulis | Photocopy Centre | Book Co.
trade_electronics: Electronics | Computer | Mobile | Telecommunications | IT Solutions | Gadget | Digital | Electrical Appliances | Camera
trade_services: Car Wash | Parking | Laundry | Services | Auto Service | Saloon | Rail | Transport | Workshop | Hotel | Motor | Cinema
trade_fuel: Service Station | Petro Trading | Fuel Enterprise | Petroleum | Petrol Station | Oil | Stesen Minyak | Petromart | Niaga
front: Restoran | Kedai Runcit | Pasar Mini | Perniagaan | Syarikat | Kedai | Pasaraya | Kedai Makan | Warung | Perusahaan | Kedai Papan
    | Farmasi | Syarikat Perniagaan | Restaurant | Kedai Alat Tulis | Kedai Kopi | Kedai Gunting Rambut | Butik | Gerai | Roti
name: {stem} {trade} {suffix} | {stem} {trade} {suffix} | {stem} {trade} {suffix} | {stem} {suffix} | {stem} {suffix} | {stem} {trade}
    | {front} {stem} | {front} {stem} {suffix} | {stem} {trade} ({area}) {suffix} | {stem} {trade} {area} | {stem} {trade} & {trade}
    | {stem} {trade} Enterprise | {stem} {trade} Trading | The {thing} {trade} {suffix} | {stem} {trade} | {stem} & {stem} {trade} {suffix} | {brandish} {area} | {brandish} {area} {n} | {stem} {trade} ({stem} {suffix}) | {stem} {trade} {stem} {suffix} | {stem} {area}
town: Kuala Lumpur | Petaling Jaya | Shah Alam | Klang | Subang Jaya | Puchong | Seri Kembangan | Cheras | Kajang | Semenyih | Rawang
    | Johor Bahru | Skudai | Masai | Pasir Gudang | Batu Pahat | Muar | Melaka | Seremban | Nilai | Ipoh | Taiping | Kuantan
    | Kota Bharu | Kuala Terengganu | Alor Setar | Sungai Petani | George Town | Bayan Lepas | Butterworth | Kuching | Kota Kinabalu
    | Sibu | Miri | Batang Kali | Sekinchan | Banting | Dengkil | Ampang | Kepong | Setapak | Sungai Buloh | Bangi | Putrajaya | Kulai
    | Port Dickson | Tampin | Bentong | Temerloh | Tawau | Sandakan | Plentong | Tumpat | Hulu Langat | Balakong | Kapar
state: Selangor | Selangor | Selangor Darul Ehsan | Selangor D.E. | Johor | Johor | Johor Darul Takzim | Perak | Kedah | Pulau Pinang | Penang
    | Melaka | Negeri Sembilan | N. Sembilan | Pahang | Kelantan | Terengganu | Sarawak | Sabah | Kuala Lumpur | W.P. Kuala Lumpur | Sel.
area: Taman Daya | Setia Alam | Permas Jaya | Kuchai | Puchong Jaya | Bukit Indah | Kota Damansara | Mahkota Cheras | Sri Petaling
    | Wangsa Maju | Taman Segar | Damansara Utama | Bandar Utama | Subang Perdana | Bukit Jelutong | Ara Damansara | Sri Hartamas
    | Bangsar | Mont Kiara | Taman Connaught | Sri Rampai | Desa Petaling | Taman Melawati | Sunway | USJ {n} | Austin Heights | {coin}
roadname: Dedap | Permas | Setia Indah | Besar | Ipoh | Kapar | Puteri | Temenggung | Mahagoni | Manis | Bulan | Tasik Utama | Bunga Raya
    | Bunga Tanjung | Bunga Kantan | Kenari | Perdana | Merdeka | Reko | Angsa | Kuching | Pudu | Sultan Ismail | Raja Chulan | Tun Razak
    | Cochrane | Dinar | Astana | Genting Klang | Air Panas | Malinja | Radin Bagus | Wangsa Delima | Subang Jasa | Kebudayaan | Indah
    | Hang Tuah | Bandar Rawang | Perindustrian Hijau | Bangi | Kancil | Batu Ambar | Seri Sentosa | Meranti | Cempaka | Melur | Teratai
    | SS {n}/{n} | SS{n2}/{n2}{letter} | PJS {n}/{n2} | PJU {n}{letter}/{n} | PBS {n2}/{n2} | KPB {n} | U{n}/{n2} | TSJ {n} | USJ {n}/{n2} | {coin}
jalan: Jalan | Jalan | Jalan | Jln | Jln | Lorong | Persiaran | Lebuh | Jalan
road: {jalan} {roadname} | {jalan} {roadname} {n} | {jalan} {roadname} {n}/{n} | {jalan} {roadname} {n2}/{n} | {jalan} {n2}/{n2}{letter} | {jalan} {roadname} {n2}
    | Off {jalan} {roadname} | {jalan} {roadname} {letter}{letter} U{n}/{letter}{letter}
lot: No. {num} | No {num} | No.{num} | {num} | {num} | Lot {n4} | Lot {n3} & {n3} | No. {num} & {num} | No. {n2}-G | Lot {n}-{d2} | {letter}-{d2}-{d2}
    | No. {n2}{letter} & {n2}{letter} | Unit {n}-{n2} | No: {n2} | PT {n4} | Lot {letter}{n2} | Lot PT{letter} {n6} | {n2}-{n}
estate: Taman {malay} {malay} | Taman {malay} | Taman {malay} | Bandar {malay} | Bandar Baru {malay} | Kawasan Perindustrian {malay} | Taman {roadname}
    | Seksyen {n} | Seksyen U{n} | Medan Niaga {malay} | Pusat Bandar {malay} | Kampung {malay} | Desa {malay} | Section {n2} | Taman {coin} | Tmn {malay}
mall: {coin} Mall | {malay} Mall | Plaza {malay} | {malay} Shopping Centre | Wisma {malay} | Menara {coin} | Kompleks {malay} | {coin} Megamall
floor: Ground Floor | Level {n} | 1st Floor | Lower Ground | LG Floor | {n}F | Aras {n} | Lot {letter}{n}-{d2} | Unit L{n}-{d3}
address: {lot}, {road}, {estate}, {n5} {town}, {state}. | {lot}, {road}, {estate}, {n5} {town}, {state} | {lot}, {road}, {n5} {town}, {state}
    | {lot} {road} {estate} {n5} {town} {state} | {lot}, {road}, {estate}, {n5} {town}. | {lot}, {road}, {n5} {town}. | {lot}, {road}, {estate}, {n5} {town}, {state}, Malaysia
    | {floor}, {mall}, {lot}, {road}, {estate}, {n5} {town}, {state} | {lot}, {floor}, {mall}, {road}, {n5} {town} | {lot}, {road}, {estate} | {lot}, {road}, {town}
    | {lot}, {road}, {estate}, {town}, {state} | {lot} {road} {n5} {town} | {lot}, {road}, {estate}, {n5}, {town}, {state}. | {floor} {mall}
phone: 03-{n4} {d4} | 03-{n8} | 07-{n3} {d4} | 07-{n7} | 01{d}-{n7} | 01{d}-{n3} {d4} | +603-{n4} {d4} | 603-{n8} | 04-{n7} | +6012-{n3} {d4} | 06-{n3} {d4} | 03 - {n4} {d4} | 03-{n4} {d4} / {d4} | 03-{n4} {d4}, {n4} {d4}
    | 1-300-{n2}-{d4} | 016-{n7} | 012 - {n7} | (603) {n4} {d4}
tax_id: 00{n10} | 00{n10} | 00{n10} | 000{n9} | {letter}{d2}-{n4}-{d8} | W10-{d4}-{d8}
tax_id_label: GST ID | GST ID NO | GST Reg No | GST No | GST Reg. No. | GST REG # | GST Registration No | SST ID | SST No | GST Ref No | GST Regn No | Service Tax No
company_id: ({n6}-{letter}) | ({n6}-{letter}) | ({n7}-{letter}) | {n6}-{letter} | (Co. Reg. No: {n6}-{letter}) | Co. No. {n6}-{letter} | (00{n7}-{letter}) | JM0{n6}-{letter}
    | ROC No. : {n7}-{letter} | 20{d2}01{d6} ({n7}-{letter}) | Company Reg. No. : ({n6}-{letter}) | (SA0{n6}-{letter}) | ({n6} {letter}) | Co Reg No:{n6}-{letter}
receipt_id: CS{n8} | CS000{n5} | {n6} | {n5} | CSP0{n6} | INV-{n6} | {letter}{n8} | {n16} | {n5}/{d3}/T{d4} | {letter}{letter}{letter}-{n5} | CR {d4}/{d4} | OR{n14} | R{d9} | CS-{n5} | {d2}{letter}-{n5} | T{n2}-{n6} | {n4}{letter}{n3} | V001-{n6} | #{n6}
receipt_label: Doc No | Receipt # | Receipt No | Invoice No | Inv No | Bill No | Invoice # | CB# | Slip | INV# | Tax Invoice No | Doc No. | Receipt#: | Check # | Order # | C/N No | Bill#
dish: Nasi Lemak | Mee Goreng | Roti Canai | Nasi Goreng Ayam | Char Kuey Teow | Laksa | Satay | Chicken Rice | Wantan Mee | Tom Yam | Nasi Ayam | Curry Mee
    | Fish Head Curry | Kangkong Belacan | Ikan Bakar | Ayam Masak Merah | Bak Kut Teh | Dim Sum | Hakka Mee | Sotong Goreng | Teh Tarik Set | Nasi Putih
    | Chicken Chop | Fish & Chips | Mushroom Soup | Claypot Tofu | Sweet Sour Pork | Vege Item | Meat Dish | 3 Vege | Seafood Fried Rice | Spaghetti
drink: Teh Tarik | Teh O Ais | Kopi O | Kopi Ais | Milo Ais | Milo (B) | Sirap Limau | Limau Ais | Air Suam | 100 Plus | Barli | Chinese Tea | Green Tea | Teh C Peng | Coconut
    | Orange Juice | Coke | Mineral Water | Cham | Nescafe | Tiger Bucket | Guinness Stout (B) | Plain Water | Ice Lemon Tea
grocery: Gula Pasir 1kg | Minyak Masak 5kg | Beras 10kg | Bihun | Kicap Manis | Susu Pekat | Garam Halus | Telur Gred A | Roti Jumbo | Maggi Kari | Tepung Gandum | Sardin
    | Milk | Bread | Biscuits | Coffee 3in1 | Soap | Shampoo | Detergent | Instant Noodles | Mineral Water 1.5L | Ikan Bilis | Santan | Sos Cili | Tisu | Ais Krim | Plastic Bag
hoarding: THANK YOU | TERIMA KASIH
"""

_UNITED_STATES = """
suffix: LLC | Inc | Inc. | Corp | Co. | LP | Ltd
town: Long Beach, CA | Austin, TX | Lawrence, IN | Jersey City, NJ | Alexandria, VA | Daly City, CA | Seattle, WA | Portland, OR | Denver, CO | Boise, ID | Chicago, IL
    | Houston, TX | Dallas, TX | Miami, FL | Orlando, FL | Tampa, FL | Atlanta, GA | Boston, MA | New York, NY | Brooklyn, NY | Queens, NY | Buffalo, NY | Newark, NJ
    | Philadelphia, PA | Pittsburgh, PA | Cleveland, OH | Columbus, OH | Detroit, MI | Ann Arbor, MI | Madison, WI | Milwaukee, WI | Minneapolis, MN | St. Paul, MN
    | Omaha, NE | Kansas City, MO | St. Louis, MO | Nashville, TN | Memphis, TN | Charlotte, NC | Raleigh, NC | Richmond, VA | Arlington, VA | Washington, DC
    | Baltimore, MD | Bethesda, MD | San Francisco, CA | San Jose, CA | Oakland, CA | Los Angeles, CA | San Diego, CA | Sacramento, CA | Fresno, CA | Irvine, CA
    | Las Vegas, NV | Reno, NV | Phoenix, AZ | Tucson, AZ | Salt Lake City, UT | Albuquerque, NM | El Paso, TX | San Antonio, TX | New Orleans, LA | Honolulu, HI
    | Anchorage, AK | Spokane, WA | Eugene, OR | Springfield, IL | Plainfield, IN | Louisville, KY | Tulsa, OK | Little Rock, AR | Jackson, MS | Mobile, AL | Hartford, CT
street: {family} | {family} | Main | Oak | Maple | Pine | Elm | Washington | Lincoln | Park | Lake | Hill | Broadway | Market | Church | Center | Mission | Pacific Coast
    | {n2}th | {n}0th | 2nd | 3rd | 5th | Sunset | Mill | River | Spring | Ridge | Cedar | Union | College | State | Highland | Central | Franklin | Jefferson | {coin}
way: St | St | Street | Ave | Ave | Avenue | Blvd | Blvd. | Rd | Road | Dr | Hwy | Pkwy | Lane | Pike | Way | Plaza | St.
compass: N | S | E | W | North | West | NE | SW
road: {street} {way} | {street} {way} | {compass} {street} {way} | {street} {way} {compass} | US Hwy {n2} | Route {n2}
house: {n3} | {n4} | {n4} | {n5} | {n2}
unit: Suite {n3} | Ste {n3} | #{n3} | Unit {letter} | Bldg {n} | Ste. {letter} | Suite {letter}{n}
address: {house} {road} {town} {n5} | {house} {road} {town} {n5} | {house} {road} {town} {n5} | {house} {road}, {town} {n5} | {house} {road} {unit} {town} {n5} | {house} {road}, {unit}, {town} {n5}
    | {house} {road} {town} | {house} {road}, {town} {n5}-{d4} | {town} {n5} | {house} {road}
phone: ({n3}) {n3}-{d4} | ({n3}) {n3}-{d4} | ({n3}) {n3}-{d4} | {n3}-{n3}-{d4} | {n3}-{n3}-{d4} | ({n3}){n3}-{d4} | {n3}.{n3}.{d4} | {n10} | +1 {n3}-{n3}-{d4} | {n3} {n3} {d4} | 1-800-{n3}-{d4}
tax_id: {n2}-{n7}
tax_id_label: Tax ID | FEIN | EIN
company_id: Store #{n4} | Store: {n4} | License {n6}
receipt_id: {n5} | {n6} | {n4} | {n3} | {n8} | {d6} | {letter}{n4} | {n4}-{n4} | {n12} | {n2}-{n5} | #{n4} | {letter}{letter}{n6} | {d3}{n3}
receipt_label: Check # | Order # | Receipt # | Order | Transaction # | Check | Trans # | Ticket # | Invoice # | Order Number | Receipt | Transaction | Chk | Ref # | Check: | Ticket No | Order: | Trans ID
"""

_CANADA = """
suffix: Ltd. | Inc. | Ltée
town: Toronto, ON | Ottawa, ON | Mississauga, ON | Hamilton, ON | London, ON | Montréal, QC | Québec, QC | Laval, QC | Vancouver, BC | Burnaby, BC | Victoria, BC | Calgary, AB
    | Edmonton, AB | Winnipeg, MB | Regina, SK | Halifax, NS | Moncton, NB | Kelowna, BC | Kingston, ON | Markham, ON | Surrey, BC | Saskatoon, SK
postcode: {letter}{n}{letter} {n}{letter}{n} | {letter}{n}{letter}{n}{letter}{n}
address: {house} {road} {town} {postcode} | {house} {road}, {town} {postcode} | {house} {road}, {unit}, {town} {postcode} | {house} rue {family} {town} {postcode} | {house} {road} {town}
tax_id: {n9} RT0001 | {n9}RT0001 | R{n9} | {n9}
tax_id_label: GST# | HST # | GST/HST# | GST Reg | HST Reg # | TPS#
"""

_BRITAIN = """
suffix: Ltd | Limited | PLC | LLP | & Sons | & Co
town: London | Manchester | Leeds | Bristol | Birmingham | Liverpool | Sheffield | York | Bath | Oxford | Cambridge | Norwich | Brighton | Reading | Exeter | Plymouth | Cardiff
    | Swansea | Edinburgh | Glasgow | Aberdeen | Dundee | Belfast | Newcastle | Nottingham | Derby | Leicester | Coventry | Ipswich | Southampton | Portsmouth | Milton Keynes
street: High | Church | Station | {family} | Mill | Park | Victoria | Queen | King | London | Green | North | Bridge | Castle | Market | Oxford | Albert | New | Grange | Manor
way: Street | Street | Road | Road | Lane | Avenue | Rd | St | Square | Way | Hill | Terrace | Gardens | Parade
road: {street} {way}
house: {num} | {num} | {n2}-{n2} | Unit {n}, | {num}{letter}
postcode: {letter}{letter}{n} {n}{letter}{letter} | {letter}{n} {n}{letter}{letter} | {letter}{letter}{n2} {n}{letter}{letter} | {letter}{n2} {n}{letter}{letter}
address: {house} {road}, {town}, {postcode} | {house} {road}, {town} {postcode} | {house} {road} {town} {postcode} | {road}, {town}, {postcode} | {house} {road}, {family} Retail Park, {town}, {postcode} | {house} {road} {town}
phone: 020 {n4} {d4} | 01{d3} {n6} | 0{n4} {n6} | 0161 {n3} {d4} | +44 20 {n4} {d4} | 0{n3} {n3} {d4} | (01{d3}) {n6} | 0800 {n3} {d3} | 07{d3} {n6}
tax_id: GB{n9} | GB {n3} {d4} {d2} | {n9} | {n3} {d4} {d2}
tax_id_label: VAT No | VAT Reg No | VAT Number | VAT Reg. No. | VAT No. | VAT Registration
company_id: Company No. {n8} | Reg. No. {n8} | Registered in England {n8}
receipt_id: {n6} | {n4} | {n5} | {n4}/{d3}/{d4} | {letter}{n6} | {d4} {d3} {d4} | {n10}
receipt_label: Receipt No | Receipt | Check | Trans | Invoice No | Bill No | Order | Transaction No | Chk | Sale No | Order No
"""

_AUSTRALIA = """
suffix: Pty Ltd | Pty. Ltd. | P/L | Pty Limited
town: Sydney NSW | Melbourne VIC | Brisbane QLD | Perth WA | Adelaide SA | Hobart TAS | Canberra ACT | Darwin NT | Newcastle NSW | Geelong VIC | Cairns QLD | Parramatta NSW
    | Bondi NSW | Fremantle WA | Ballarat VIC | Wollongong NSW | Toowoomba QLD | Carlton VIC | Fitzroy VIC | Surry Hills NSW | Manly NSW
address: {house} {road}, {town} {n4} | {house} {road} {town} {n4} | Shop {n}, {house} {road}, {town} {n4} | Shop {n2}, {family} Plaza, {town} {n4}
phone: (0{n}) {n4} {d4} | 0{n} {n4} {d4} | 1300 {n3} {d3} | 04{d2} {d3} {d3} | +61 {n} {n4} {d4}
tax_id: {n2} {d3} {d3} {d3} | {n11}
tax_id_label: ABN | ABN: | A.B.N. | ABN No
company_id: ACN {n3} {d3} {d3}
"""

_INDIA = """
suffix: Pvt Ltd | Pvt. Ltd. | Private Limited | & Sons | Enterprises | LLP | Traders | Stores
family: Sharma | Gupta | Patel | Reddy | Nair | Iyer | Singh | Kapoor | Mehta | Shah | Rao | Das | Banerjee | Joshi | Kulkarni | Verma | Khan | Agarwal | Bose | Pillai | Chawla | Malhotra
given: Sri | Shree | Om | Ganesh | Krishna | Lakshmi | Balaji | Sai | Annapurna | Saravana | Ananda | Mahalaxmi | Durga | Hari | Nandini
town: Bengaluru | Mumbai | New Delhi | Chennai | Hyderabad | Pune | Kolkata | Ahmedabad | Jaipur | Kochi | Lucknow | Mysore | Nagpur | Indore | Gurgaon | Noida | Coimbatore | Surat
road: MG Road | {family} Road | {n2}th Main | {n}th Cross | Ring Road | Station Road | Gandhi Nagar | {family} Nagar | Market Road | Sector {n2} | {n2}th Main, {family} Nagar
house: No. {num} | #{num} | {num}/{n} | Shop No {n} | Plot {n2} | {num}
address: {house}, {road}, {town} - {n6} | {house}, {road}, {town} {n6} | {house}, {road}, {family} Complex, {town} - {n6} | {house}, {road}, {town}
phone: 0{n2}-{n8} | +91 {n5} {d5} | 9{d9} | 8{d9} | 080 {n4} {d4} | 0{n3} {n7}
tax_id: {n2}AABC{letter}{n4}{letter}1Z{d} | 29{letter}{letter}{letter}P{letter}{n4}{letter}1Z{letter} | 27AAACH{n4}{letter}1Z{n}
tax_id_label: GSTIN | GSTIN No | GST No | GSTIN:
company_id: FSSAI No: {n14} | FSSAI Lic No {n14} | CIN: U{n5}KA20{d2}PTC{n6}
receipt_id: {n5} | {n4} | INV/{d2}-{d2}/{n4} | {letter}{n6} | {n7} | {n6}
receipt_label: Bill No | Bill No. | Invoice No | Inv No | KOT No | Receipt No | Token No | Tax Invoice
dish: Masala Dosa | Idli Vada | Paneer Butter Masala | Dal Makhani | Veg Biryani | Chicken Biryani | Roti | Butter Naan | Jeera Rice | Gobi Manchurian | Poori | South Meals | Chole Bhature | Tandoori Chicken
drink: Filter Coffee | Masala Chai | Lassi | Lime Soda | Buttermilk | Water Bottle | Mango Juice | Badam Milk
"""

_SINGAPORE = """
suffix: Pte Ltd | Pte Ltd | Pte. Ltd. | (S) Pte Ltd | LLP
area: Tampines | Orchard | Bugis | Jurong East | Woodlands | Toa Payoh | Ang Mo Kio | Bedok | Clementi | VivoCity | Changi | Punggol
town: Singapore | S
road: {family} Road | Orchard Road | Tampines Ave {n} | Jurong West St {n2} | Bedok North Road | Upper Serangoon Road | North Bridge Road | Ang Mo Kio Ave {n} | Clementi Road
address: {num} {road} #{d2}-{d2} Singapore {n6} | Blk {num} {road} #{d2}-{d2}, Singapore {n6} | {num} {road}, #{d2}-{d2} {coin} Mall, Singapore {n6} | {num} {road}, Singapore {n6} | {num} {road} #{d2}-{n2} S({n6})
phone: 6{d3} {d4} | +65 6{d3} {d4} | 6{d7} | (65) 6{d3} {d4} | 9{d3} {d4}
tax_id: {n9}{letter} | 20{d7}{letter} | M{n}-{n7}-{d} | 20{d2}{d5}{letter}
tax_id_label: GST Reg No | GST Reg. No. | GST No | GST Registration No | UEN/GST Reg No
company_id: UEN: 20{d7}{letter} | Co. Reg. No. 20{d7}{letter} | ROC {n9}{letter}
"""

_GERMAN = """
family: Müller | Schmidt | Schneider | Fischer | Weber | Meyer | Wagner | Becker | Schulz | Hoffmann | Schäfer | Koch | Bauer | Richter | Klein | Wolf | Schröder | Neumann | Schwarz
    | Zimmermann | Braun | Krüger | Hofmann | Hartmann | Lange | Schmitt | Werner | Krause | Meier | Lehmann | Köhler | Herrmann | Walter | König | Huber | Kaiser | Fuchs | Peters
    | Lang | Scholz | Möller | Weiß | Jung | Hahn | Vogel | Friedrich | Keller | Günther | Frank | Berger | Winkler | Roth | Beck | Lorenz | Baumann | Franke | Albrecht | Graf
given: Anna | Peter | Klaus | Sabine | Jürgen | Petra | Michael | Monika | Stefan | Ute | Thomas | Karin | Lukas | Julia | Frau Weber | Herr Klein | Emma | Jonas
adjective: Goldener | Roter | Schwarzer | Grüner | Alter | Neuer | Weißer | Blauer | Zum Goldenen | Zum Alten | Zur Schönen
thing: Hirsch | Adler | Löwe | Bär | Ochse | Anker | Stern | Krone | Rose | Linde | Engel | Post | Mühle | Schwan | Sonne | Ritter | Hof | Brunnen | Turm | Eiche | Kanne
suffix: GmbH | GmbH & Co. KG | e.K. | KG | OHG | AG | GbR | UG | Inh. {family} | e.Kfm.
trade_restaurant: Restaurant | Gasthaus | Gasthof | Wirtshaus | Brauhaus | Ristorante | Imbiss | Bistro | Steakhaus | Pizzeria | Biergarten | Ratskeller | China Restaurant | Grill | Döner
trade_cafe: Café | Bäckerei | Konditorei | Eiscafé | Backhaus | Kaffeerösterei | Stadtcafé | Backstube | Feinbäckerei
trade_grocery: Supermarkt | Markt | Getränkemarkt | Metzgerei | Feinkost | Biomarkt | Frischemarkt | Discount | Lebensmittel | Hofladen | Obst & Gemüse | Kaufhaus | Center | Naturkost
trade_hardware: Baumarkt | Eisenwaren | Gartencenter | Werkzeuge | Baustoffe | Farben | Autoteile | Fahrräder | Elektro | Holzhandel
trade_pharmacy: Apotheke | Stadt-Apotheke | Drogerie | Rats-Apotheke | Reformhaus | Optik | Parfümerie | Adler-Apotheke
trade_clothing: Mode | Schuhe | Textil | Möbel | Moden | Sport | Schmuck | Spielwaren | Blumen | Einrichtungshaus | Geschenke
trade_stationery: Buchhandlung | Schreibwaren | Bürobedarf | Bücher | Copyshop | Tabak & Presse | Papeterie
trade_electronics: Elektronik | Technik | Computer | Handy Shop | Foto | Elektromarkt | Media
trade_services: Parkhaus | Reinigung | Friseur | Waschanlage | Hotel | Taxi | Werkstatt | Kino | Kosmetik | Autohaus
trade_fuel: Tankstelle | Tank | Autohof | Station | Mineralöl
name: {family} {trade} | {trade} {family} | {trade} {family} | {trade} {adjective} {thing} | {adjective} {thing} | {coin} {trade} | {coin} | {trade} {coin} | {brandish} | {brandish} {trade} {suffix}
    | {family} {trade} {suffix} | {coin} {suffix} | {family} & {family} {suffix} | {town} {trade} | {initials} {trade} {suffix} | {trade} am {thing} | {coin} {trade} {suffix} | {family} {suffix}
town: Berlin | Hamburg | München | Köln | Frankfurt am Main | Stuttgart | Düsseldorf | Dortmund | Essen | Leipzig | Bremen | Dresden | Hannover | Nürnberg | Duisburg | Bochum | Bielefeld
    | Bonn | Münster | Karlsruhe | Mannheim | Augsburg | Wiesbaden | Aachen | Kiel | Freiburg | Lübeck | Erfurt | Mainz | Rostock | Kassel | Potsdam | Paderborn | Göttingen | Ulm
    | Heidelberg | Würzburg | Regensburg | Ingolstadt | Fürth | Bamberg | Jena | Trier | Koblenz | Konstanz | Siegen | Gießen | Hildesheim | Detmold | Celle | Soest | Gütersloh
street: {family}straße | {family}str. | Hauptstraße | Bahnhofstr. | Bahnhofstraße | Schulstr. | Gartenstraße | Dorfstr. | Bergstraße | Birkenweg | Lindenstr. | Kirchplatz | Marktplatz | Ringstr.
    | Mühlenweg | Goethestr. | Schillerstraße | Am Markt | Rathausplatz | Berliner Str. | Hamburger Straße | Lange Straße | Industriestr. | Warburger Straße | Pohlweg | Neue Straße | Postweg
address: {street} {num}, {n5} {town} | {street} {num} {n5} {town} | {street} {num} {n5} {town} | {street} {num}{letter2} {n5} {town} | {street} {n2}-{n2}, {n5} {town} | {n5} {town}, {street} {num} | {street} {num}, D-{n5} {town}
letter2: a | b | c
phone: 0{n4}/{n6} | 0{n3}-{n7} | 0{n4} {n5} | 0{n2} / {n3} {d4} | +49 {n3} {n7} | 0{n4} - {n5} | 030 {n8} | 089/{n6} | 0800 {n7} | (0{n4}) {n5}
tax_id: DE{n9} | DE{n9} | DE {n3} {d3} {d3} | {n2}/{n3}/{d5} | {n3}/{n4}/{d4}
tax_id_label: USt-IdNr. | USt-IdNr | UST-ID-NR | USt.-ID | Steuernr. | St.-Nr. | Ust-Id | Steuernummer | UID
company_id: HRB {n5} | Filiale {n4} | Markt {n4} | Kasse {n}
receipt_id: {n4} | {n6} | {n5} | {n4} {n6}/{d2} | {d4}/{d4} | {letter}{n6} | {n3} | R{n6} | {n4}-{d5} | {n10}
receipt_label: Bon-Nr. | Beleg-Nr. | Bon | Rechnung Nr. | Rechnungsnr. | Belegnr. | Rg.-Nr. | Quittung Nr. | Bonnr | Kassenbon | Beleg | Re-Nr.
items_restaurant: Wiener Schnitzel | Currywurst | Pommes | Bratkartoffeln | Sauerbraten | Gulaschsuppe | Salatteller | Pizza Salami | Spaghetti Carbonara | Kässpätzle | Forelle | Rumpsteak | Maultaschen
    | Pils 0,5 | Weißbier 0,5 | Apfelschorle 0,4 | Cola 0,3 | Mineralwasser 0,75 | Rotwein 0,2 | Espresso | Kaffee | Cappuccino | Radler | Apfelstrudel | Tagessuppe | Döner Teller | Lammfilet | {coin} Pfanne
items_cafe: Kaffee | Cappuccino | Latte Macchiato | Milchkaffee | Brezel | Butterbrezel | Croissant | Doppelbrötchen | Kaisersemmel | Apfelkuchen | Käsekuchen | Roggenbrot 750g | Laugenstange | Berliner
    | Tee | Heiße Schokolade | Eisbecher {coin} | Kugel Eis | Nussecke | Dinkelbrot | Mohnschnecke | Körnerbrötchen | Espresso
grocery: Bananen | Äpfel | Vollmilch | Butter | Eier | Gouda | Emmentaler | Joghurt | Quark | Schwarzbrot | Toast | Hähnchenbrustfilet | Hackfleisch | Schinken | Salami | Nudeln | Reis | Mehl | Zucker
    | Kaffee | Tee | Orangensaft | Apfelsaft | Mineralwasser | Bier | Rotwein | Sekt 0,2 L | Schokolade | Kekse | Chips | Honig | Marmelade | Tomaten | Gurke | Paprika | Zwiebeln | Kartoffeln | Möhren
    | Küchenrolle | Toilettenpapier | Waschmittel | Spülmittel | Zahnpasta | Duschgel | Katzenfutter | Pfand 0,25 | Leergut | Tragetasche | Frischkäse | Würfelzucker | Kräuterbutter | Karottensalat
items_grocery: {grocery} | {grocery} | {coin} {grocery} | Bio {grocery} | {grocery} {n}00g | {grocery} 1kg | {coin} {grocery} | {grocery} 1,5l | G&G {grocery} | {grocery} lose
items_general: Schraube {n}x{n0} | Dübel {n}er | LED Lampe E27 | Wandfarbe 10L | Pinsel 50mm | Blumenerde 20L | Kabel 3m | Batterien AA 4er | Klebeband | Arbeitshandschuhe | Steckdose | T-Shirt {coin} | Jeans {n2}/32
    | Socken 5er | Pullover | Jacke {coin} | Schuhe Gr.{n2} | Ibuprofen 400 | Nasenspray | Hustensaft | Handcreme | Kugelschreiber | Notizbuch A5 | Taschenbuch | Zeitung | USB-Stick 32GB | Ladekabel
    | Kopfhörer {coin} | Parkgebühr | Haarschnitt Herren | Wäsche {n} | Übernachtung | Regal {coin} | Kissen | Kerze | Tasse | {coin} {n3} | Blumenstrauß | Super E10 | Diesel | Super 95
n0: 10 | 20 | 30 | 60 | 100
"""

_AUSTRIA = """
town: Wien | Graz | Linz | Salzburg | Innsbruck | Klagenfurt | Villach | Wels | St. Pölten | Dornbirn | Steyr | Bregenz | Eisenstadt | Krems
address: {street} {num}, {n4} {town} | {street} {num} {n4} {town} | {n4} {town}, {street} {num} | {street} {num}/{n}, A-{n4} {town}
phone: +43 {n} {n7} | 01/{n7} | 0{n3}/{n6} | +43 {n3} {n6}
tax_id: ATU{n8} | ATU {n8}
tax_id_label: UID-Nr. | UID | UID-Nr | UID Nr
company_id: FN {n6}{letter2}
"""

_SWITZERLAND = """
town: Zürich | Bern | Basel | Luzern | St. Gallen | Winterthur | Zug | Chur | Thun | Aarau | Olten | Schaffhausen | Baden | Interlaken
address: {street} {num}, {n4} {town} | {street} {num} {n4} {town} | {street} {num}, CH-{n4} {town}
phone: 0{n2} {n3} {d2} {d2} | +41 {n2} {n3} {d2} {d2}
tax_id: CHE-{n3}.{d3}.{d3} MWST | CHE-{n3}.{d3}.{d3}
tax_id_label: MWST-Nr. | MWST Nr | UID
company_id: Filiale {n4}
"""

_FRENCH = """
family: Martin | Bernard | Dubois | Thomas | Robert | Richard | Petit | Durand | Leroy | Moreau | Simon | Laurent | Lefebvre | Michel | Garcia | David | Bertrand | Roux | Vincent | Fournier
    | Morel | Girard | André | Lefèvre | Mercier | Dupont | Lambert | Bonnet | François | Martinez | Legrand | Garnier | Faure | Rousseau | Blanc | Guérin | Muller | Henry | Perrin | Gauthier
given: Marie | Jean | Pierre | Sophie | Luc | Camille | Julie | Nicolas | Claire | Paul | Hélène | Léa | Hugo | Chloé
adjective: Petit | Grand | Vieux | Bon | Joli | Beau
thing: Moulin | Jardin | Soleil | Coq | Cheval | Lion | Pont | Marché | Port | Château | Chêne | Comptoir | Fournil | Clos | Canard | Sanglier | Phare | Village | Zinc
suffix: SARL | SAS | S.A.R.L. | EURL | SA | SASU | & Fils | Cie
trade_restaurant: Restaurant | Brasserie | Bistrot | Crêperie | Auberge | Café-Restaurant | Pizzeria | Le Relais | Traiteur | La Table | Grill | Rôtisserie | Sushi | Taverne
trade_cafe: Café | Boulangerie | Pâtisserie | Salon de Thé | Glacier | Boulangerie Pâtisserie | Bar | Tabac Bar | Chocolatier
trade_grocery: Épicerie | Supermarché | Marché | Primeur | Boucherie | Fromagerie | Cave | Alimentation Générale | Bio | Market | Supérette | Poissonnerie | Charcuterie | Hyper
trade_hardware: Quincaillerie | Bricolage | Jardinerie | Matériaux | Outillage | Droguerie | Auto Pièces | Électricité
trade_pharmacy: Pharmacie | Grande Pharmacie | Parapharmacie | Optique | Parfumerie | Pharmacie du Centre
trade_clothing: Mode | Chaussures | Boutique | Prêt-à-Porter | Sport | Bijouterie | Fleuriste | Maison | Jouets | Décoration
trade_stationery: Librairie | Papeterie | Presse | Maison de la Presse | Tabac Presse | Imprimerie
trade_electronics: Électronique | Informatique | Téléphonie | Photo | Électroménager | Hi-Fi
trade_services: Pressing | Parking | Coiffure | Hôtel | Lavage | Garage | Cinéma | Taxi | Institut de Beauté
trade_fuel: Station Service | Relais | Station | Carburants
name: {trade} {family} | {trade} {family} | Le {adjective} {thing} | Au {adjective} {thing} | {trade} du {thing} | {coin} | {coin} {trade} | {trade} {coin} | {suffix} {family} | {brandish} | {coin} {suffix}
    | {trade} Le {thing} | Chez {given} | {trade} de {town} | {initials} {trade} | {suffix} {coin} {trade} | {brandish} {town} | Le {thing} | L'{trade} | {family} & {family}
town: Paris | Lyon | Marseille | Toulouse | Nice | Nantes | Strasbourg | Montpellier | Bordeaux | Lille | Rennes | Reims | Toulon | Grenoble | Dijon | Angers | Nîmes | Le Mans | Brest | Tours | Amiens
    | Limoges | Annecy | Metz | Perpignan | Besançon | Orléans | Rouen | Mulhouse | Caen | Nancy | Avignon | Cannes | Antibes | La Rochelle | Pau | Colmar | Bayonne | Quimper | Vannes | Versailles
ruename: de la République | Victor Hugo | de la Gare | du Général de Gaulle | Jean Jaurès | de l'Église | Pasteur | Gambetta | des Lilas | du Moulin | Saint-Michel | de Paris | Carnot | Voltaire | {family} | {given} {family}
rue: rue | Rue | avenue | Avenue | bd | Boulevard | place | Place | quai | chemin | Av. | route
address: {num} {rue} {ruename} {n5} {town} | {num}, {rue} {ruename} {n5} {town} | {num} {rue} {ruename}, {n5} {town} | {num} bis {rue} {ruename} {n5} {town} | Centre Commercial {coin} {n5} {town} | ZA {coin}, {n5} {town}
phone: 0{n} {d2} {d2} {d2} {d2} | 0{n} {d2} {d2} {d2} {d2} | 0{n}.{d2}.{d2}.{d2}.{d2} | +33 {n} {d2} {d2} {d2} {d2} | 0{n}{d8} | 0{n}-{d2}-{d2}-{d2}-{d2}
tax_id: FR{n2}{n9} | FR {n2} {n9} | FR{n2} {n3} {d3} {d3}
tax_id_label: TVA | N° TVA | TVA Intra | N° TVA Intracom. | TVA intracommunautaire | No TVA
company_id: SIRET {n14} | SIRET : {n3} {d3} {d3} {d5} | RCS {town} {n9} | APE {n4}Z | SIREN {n9}
receipt_id: {n4} | {n6} | {n5} | {letter}{n5} | {n3} | {n8} | {d3}-{d5}
receipt_label: Ticket N° | Ticket | N° Ticket | Facture N° | Note N° | Addition | Facture | Reçu N° | Ticket No | Cde | Commande
items_restaurant: Menu du Jour | Steak Frites | Entrecôte | Magret de Canard | Salade César | Croque Monsieur | Soupe à l'Oignon | Moules Frites | Plat du Jour | Tartare de Boeuf | Pizza Reine | Crêpe Complète | Quiche Lorraine
    | Café | Expresso | Pression 25cl | Verre Vin Rouge | Pichet 50cl | Perrier | Coca-Cola 33cl | Evian 1/2 | Kir | Mousse au Chocolat | Crème Brûlée | Île Flottante | Thé | Menu Enfant | Formule Midi | Burger {coin}
items_cafe: Café | Café Crème | Noisette | Thé Vert | Chocolat Chaud | Croissant | Pain au Chocolat | Baguette | Tradition | Tarte aux Pommes | Éclair Café | Sandwich Jambon | Pain Complet | Brioche | Jus d'Orange | Macaron x{n} | Flan | Quiche
grocery: Lait Demi-Écrémé | Beurre Doux | Oeufs x6 | Camembert | Yaourt Nature | Jambon Blanc | Baguette | Pâtes | Riz | Farine | Sucre | Café Moulu | Eau Minérale | Jus de Pomme | Tomates | Pommes Golden | Bananes | Carottes | Courgettes | Poulet
    | Steak Haché | Saumon | Thon | Huile d'Olive | Moutarde | Confiture | Chocolat | Biscuits | Lessive | Papier Toilette | Dentifrice | Vin Rouge | Bière | Emmental | Sac Caisse | Crème Fraîche | Lardons | Salade
items_grocery: {grocery} | {grocery} | {coin} {grocery} | {grocery} Bio | {grocery} {n}00G | {coin} {grocery} | {grocery} 1L
items_general: Vis {n}x{n0} | Ampoule LED | Peinture 2,5L | Rallonge 3m | Colle | Doliprane 1000 | Sirop Toux | Crème Mains | T-Shirt {coin} | Jean {n2} | Chaussettes | Robe {coin} | Chaussures {n2} | Stylo Bille | Cahier A4 | Livre Poche | Journal
    | Câble USB | Chargeur | Écouteurs | Coupe Homme | Lavage {n} | Nuitée | Taxe Séjour | Parking {n}h | Bouquet | Bougie {coin} | Vase | Coussin | {coin} {n3} | SP95-E10 | Gazole | Chemise {coin}
n0: 10 | 20 | 30 | 60 | 100
"""

_SPANISH = """
family: García | Rodríguez | González | Fernández | López | Martínez | Sánchez | Pérez | Gómez | Martín | Jiménez | Ruiz | Hernández | Díaz | Moreno | Álvarez | Muñoz | Romero | Alonso | Gutiérrez | Navarro
    | Torres | Domínguez | Vázquez | Ramos | Gil | Ramírez | Serrano | Blanco | Molina | Suárez | Castro | Ortega | Delgado | Ortiz | Marín | Rubio | Medina | Castillo | Cortés | Garrido | Santos
given: María | José | Carmen | Antonio | Ana | Juan | Laura | Luis | Pepe | Paco | Lola | Marta | Javier | Lucía | Rosa | Pilar | Miguel
adjective: Nuevo | Gran | Viejo | Buen | Rincón de | Casa
thing: Sol | Mar | Río | Toro | Pescador | Molino | Patio | Jardín | Faro | Olivo | Puente | Caballo | Pez | Limón | Mesón | Puerto | Roble | Horno | Campo
suffix: S.L. | SL | S.A. | S.L.U. | SA | C.B. | e Hijos S.L. | S.L.L.
trade_restaurant: Restaurante | Bar | Mesón | Taberna | Cervecería | Asador | Marisquería | Pizzería | Tapería | Arrocería | Casa | Parrilla | Bodega | Hamburguesería
trade_cafe: Cafetería | Pastelería | Panadería | Café | Heladería | Horno | Churrería | Obrador | Chocolatería
trade_grocery: Supermercados | Alimentación | Frutería | Carnicería | Mercado | Autoservicio | Ultramarinos | Pescadería | Super | Charcutería | Hiper | Bazar
trade_hardware: Ferretería | Bricolaje | Materiales | Suministros | Pinturas | Electricidad | Recambios | Jardinería
trade_pharmacy: Farmacia | Parafarmacia | Óptica | Perfumería | Droguería | Herbolario
trade_clothing: Moda | Zapatería | Boutique | Deportes | Joyería | Floristería | Muebles | Juguetería | Textil | Regalos
trade_stationery: Papelería | Librería | Copistería | Imprenta | Estanco | Prensa
trade_electronics: Informática | Electrónica | Telefonía | Electrodomésticos | Fotografía
trade_services: Parking | Lavandería | Peluquería | Hotel | Taller | Hostal | Tintorería | Cine | Taxi | Gimnasio
trade_fuel: Estación de Servicio | Gasolinera | E.S. | Combustibles | Petróleos
name: {trade} {family} | {trade} {given} | {trade} El {thing} | {trade} La {coin} | El {thing} de {given} | {coin} | {coin} {trade} | {trade} {coin} | {family} {family} {suffix} | {trade} {family} {suffix} | {brandish} | {coin} {suffix}
    | {given} {family} {family} | {trade} Los {family} | {adjective} {thing} | {initials} {trade} {suffix} | {trade} {coin} {suffix} | {brandish} {town} | Casa {given} | {coin} {trade} {suffix}
town: Madrid | Barcelona | Valencia | Sevilla | Zaragoza | Málaga | Murcia | Palma | Bilbao | Alicante | Córdoba | Valladolid | Vigo | Gijón | Granada | Oviedo | Cartagena | Jerez | Pamplona | Almería | San Sebastián | Burgos
    | Albacete | Santander | Castellón | Logroño | Badajoz | Salamanca | Huelva | Lleida | Tarragona | León | Cádiz | Jaén | Ourense | Girona | Toledo | Cáceres | Marbella | Benidorm
callename: Mayor | Real | de la Constitución | del Sol | San Juan | Nueva | de Alcalá | Gran Vía | Colón | Cervantes | {family} | {given} {family} | de España | del Mar | San Miguel | Goya | Velázquez | de la Paz
calle: C/ | Calle | Avda. | Av. | Plaza | Paseo | C/. | Avenida | Ronda | Pza. | Ctra.
address: {calle} {callename}, {num} {n5} {town} | {calle} {callename}, {num}, {n5} {town} | {calle} {callename} {num} {n5} {town} | {calle} {callename}, {num} - {n5} {town} | {calle} {callename}, {num} {town} | {calle} {callename}, {num} Bajo {n5} {town}
phone: 9{n2} {d3} {d3} | 9{d8} | 9{n} {n3} {d2} {d2} | +34 9{n2} {d3} {d3} | 6{d2} {d3} {d3} | 9{n2}-{d6} | 902 {d3} {d3}
tax_id: B{n8} | B-{n8} | A{n8} | A-{n8} | {n8}{letter} | {n8}-{letter} | B{n2}.{d3}.{d3} | ES-B{n8}
tax_id_label: CIF | NIF | C.I.F. | N.I.F. | CIF/NIF | Nif
company_id: Reg. Merc. Tomo {n4} | R.S.I. {n6} | Tienda {n4}
receipt_id: {n6} | {n4} | {n3}-{d3}-{d6} | T{n6} | {letter}/{n5} | {n4}-{d2}-{d4} | {n5} | F{n5} | {n4}/{d4}
receipt_label: Factura Simplificada | Ticket | Nº Ticket | Factura Nº | Fra. Simplificada | Tique Nº | Nº Factura | N. Ticket | Documento | Op. | Recibo Nº
items_restaurant: Menú del Día | Paella Valenciana | Tortilla Española | Patatas Bravas | Calamares | Croquetas | Jamón Ibérico | Ensalada Mixta | Pulpo a la Gallega | Gazpacho | Bocadillo Lomo | Chuletón | Merluza | Gambas Ajillo
    | Caña | Cerveza Tercio | Café Solo | Café con Leche | Cortado | Agua 1/2 | Coca-Cola | Copa Rioja | Tinto de Verano | Flan | Tarta Queso | Pan | Hamburguesa {coin} | Ración {coin} | Pincho | Croissant Plancha
items_cafe: Café con Leche | Cortado | Café Solo | Tostada Tomate | Croissant | Napolitana | Barra Pan | Zumo Naranja | Churros | Chocolate | Ensaimada | Palmera | Té | Bocadillo Jamón | Tarta {coin} | Helado {n} Bolas | Magdalenas
grocery: Leche Entera | Pan de Molde | Huevos L | Queso Curado | Yogur Natural | Jamón York | Aceite de Oliva | Arroz | Macarrones | Harina | Azúcar | Café Molido | Agua Mineral | Cerveza | Vino Tinto | Tomates | Plátanos | Naranjas | Manzanas
    | Patatas | Cebollas | Pollo | Ternera | Merluza | Atún Claro | Galletas | Chocolate | Detergente | Papel Higiénico | Champú | Gel | Bolsa Plástico | Lechuga | Pimiento | Garbanzos | Lentejas | Chorizo | Salmón
items_grocery: {grocery} | {grocery} | {coin} {grocery} | {grocery} {n}00G | {grocery} 1L | {coin} {grocery} | {grocery} Hacendoso
items_general: Tornillo {n}x{n0} | Bombilla LED | Pintura Blanca 4L | Brocha | Cinta | Pilas AA | Ibuprofeno 600 | Jarabe | Crema {coin} | Camiseta {coin} | Vaquero {n2} | Calcetines | Vestido {coin} | Zapatos {n2} | Bolígrafo | Cuaderno A4 | Libro
    | Cable USB | Cargador | Auriculares | Corte Caballero | Parking {n}h | Habitación | Ramo Flores | Vela {coin} | Cojín | {coin} {n3} | Sin Plomo 95 | Diésel | Gasóleo A | Fotocopias | Camisa {coin}
n0: 10 | 20 | 30 | 60 | 100
"""

_MEXICO = """
suffix: S.A. de C.V. | SA de CV | S. de R.L. de C.V. | S.A.P.I. de C.V.
town: México, CDMX | Guadalajara, Jal. | Monterrey, N.L. | Puebla, Pue. | Tijuana, B.C. | León, Gto. | Querétaro, Qro. | Mérida, Yuc. | Cancún, Q. Roo | Toluca, Méx. | Oaxaca, Oax. | Morelia, Mich. | Veracruz, Ver.
colonia: Centro | Roma Norte | Del Valle | Condesa | Polanco | Juárez | Narvarte | Las Flores | San {given} | Lomas de {coin} | Jardines
address: {calle} {callename} {num}, Col. {colonia}, {town} C.P. {n5} | {calle} {callename} No. {num} Col. {colonia} {town} | {calle} {callename} {num} Col. {colonia} C.P. {n5} {town}
phone: (55) {n4}-{d4} | 55 {n4} {d4} | {n3} {n3} {d4} | 01 800 {n3} {d4} | ({n3}) {n3}-{d4} | +52 {n2} {n4} {d4}
tax_id: {letter}{letter}{letter}{d2}0{n}1{d}{letter}{letter}{d} | {letter}{letter}{letter}{letter}8{d}0{n}1{d}{letter}{n}{d} | {letter}{letter}{letter}-{d2}0{n}2{d}-{letter}{d}{n}
tax_id_label: RFC | R.F.C. | RFC:
company_id: Sucursal {n3} | Régimen General de Ley
dish: Tacos al Pastor | Enchiladas | Chilaquiles
"""

_ITALIAN = """
family: Rossi | Russo | Ferrari | Esposito | Bianchi | Romano | Colombo | Ricci | Marino | Greco | Bruno | Gallo | Conti | De Luca | Mancini | Costa | Giordano | Rizzo | Lombardi | Moretti | Barbieri | Fontana | Santoro
    | Mariani | Rinaldi | Caruso | Ferrara | Galli | Martini | Leone | Longo | Gentile | Martinelli | Vitale | Lombardo | Serra | Coppola | De Santis | D'Angelo | Marchetti | Parisi | Villa | Conte
given: Mario | Luigi | Anna | Giulia | Marco | Paola | Gianni | Carla | Franco | Lucia | Sofia | Andrea | Chiara | Nonna Rosa | Zio Pino
adjective: Antica | Vecchia | Nuova | Bella | Grande
thing: Sole | Mare | Pesce | Lanterna | Torre | Ponte | Piazza | Fontana | Gatto | Leone | Porto | Bosco | Mulino | Stella | Luna | Pergola | Cantina | Olivo
suffix: S.r.l. | SRL | S.n.c. | S.a.s. | S.p.A. | SNC | di {family} {given} | & C. S.n.c. | & Figli | SAS di {family}
trade_restaurant: Ristorante | Trattoria | Pizzeria | Osteria | Tavola Calda | Locanda | Hostaria | Paninoteca | Rosticceria | Enoteca | Ristorante Pizzeria | Birreria
trade_cafe: Bar | Caffè | Gelateria | Pasticceria | Bar Pasticceria | Panificio | Forno | Caffetteria | Cremeria | Torrefazione
trade_grocery: Supermercato | Alimentari | Market | Macelleria | Salumeria | Ortofrutta | Minimarket | Discount | Pescheria | Gastronomia | Enoteca | Ipermercato
trade_hardware: Ferramenta | Colorificio | Brico | Edilizia | Vivaio | Casalinghi | Ricambi Auto | Utensileria
trade_pharmacy: Farmacia | Parafarmacia | Ottica | Profumeria | Erboristeria | Sanitaria
trade_clothing: Abbigliamento | Calzature | Boutique | Sport | Gioielleria | Fiori | Arredamento | Giocattoli | Intimo | Pelletteria
trade_stationery: Cartoleria | Libreria | Edicola | Tabaccheria | Copisteria | Tabacchi
trade_electronics: Elettronica | Informatica | Telefonia | Elettrodomestici | Foto
trade_services: Parrucchiere | Lavanderia | Autolavaggio | Hotel | Albergo | Parcheggio | Officina | Cinema | Estetica | Garage
trade_fuel: Stazione di Servizio | Distributore | Area di Servizio | Carburanti
name: {trade} {family} | {trade} {given} | {trade} Da {given} | {trade} Al {thing} | {adjective} {trade} | {coin} {trade} | {coin} | {trade} {coin} | {coin} {suffix} | {trade} {family} {suffix} | {trade} {coin} {suffix} | {brandish} | {family} {suffix}
    | {trade} La {coin} | {trade} {family} {given} | {initials} {suffix} | {trade} {thing} | {adjective} {coin} | {brandish} {town} | Da {given}
town: Roma | Milano | Napoli | Torino | Palermo | Genova | Bologna | Firenze | Bari | Catania | Venezia | Verona | Messina | Padova | Trieste | Brescia | Parma | Taranto | Prato | Modena | Reggio Emilia | Perugia | Livorno
    | Ravenna | Cagliari | Foggia | Rimini | Salerno | Ferrara | Siena | Pisa | Lucca | Bergamo | Trento | Bolzano | Udine | Ancona | Como | Siracusa | Vicenza | Treviso | Lecce
vianame: Roma | Garibaldi | Mazzini | Dante | Verdi | Cavour | Marconi | della Repubblica | Vittorio Emanuele II | Nazionale | Europa | Matteotti | San Marco | {family} | {given} {family} | dei Mille | XX Settembre
via: Via | Via | Via | Piazza | Corso | Viale | P.zza | V.le | C.so | Largo
province: (RM) | (MI) | (NA) | (TO) | (BO) | (FI) | (VE) | (VR) | (PD) | (BS)
address: {via} {vianame}, {num} {n5} {town} | {via} {vianame} {num} {n5} {town} {province} | {via} {vianame}, {num} - {n5} {town} {province} | {via} {vianame}, {num} {town} | {via} {vianame} {num}, {n5} {town} | {via} {vianame}, {num}/{letter} {town} {province}
phone: 0{n} {n7} | 0{n}-{n7} | 0{n2}/{n6} | 0{n3} {n6} | +39 0{n} {n7} | 3{d2} {n7} | 06.{n7} | 02 {n4} {d4}
tax_id: {n11} | {d11} | IT{n11} | 0{n10}
tax_id_label: P.IVA | P. IVA | Partita IVA | P.I. | P.IVA/C.F. | Part. IVA | C.F./P.IVA
company_id: REA {n6} | C.F. {n11} | RT {n2}{letter}{letter}{letter}{n6}
receipt_id: {d4}-{d4} | {n4} | {d4} | {n3} | {n6} | {d4}/{d3} | {n2}
receipt_label: Documento N. | Scontrino N. | Doc. N. | N. | Ricevuta N. | Documento n. | Scontr. Fiscale N. | Doc.Gest. | Fattura n.
items_restaurant: Coperto | Spaghetti Carbonara | Pizza Margherita | Pizza Diavola | Lasagne | Bistecca | Tagliata | Risotto Funghi | Bruschetta | Antipasto Misto | Insalata Mista | Fritto Misto | Orata | Gnocchi | Ravioli {coin}
    | Acqua Minerale | Vino Casa 1/2 | Birra Media | Coca Cola | Caffè | Tiramisù | Panna Cotta | Amaro | Limoncello | Patatine | Contorno | Pizza {coin} | Spritz | Calice Rosso
items_cafe: Caffè | Cappuccino | Cornetto | Brioche | Spremuta | Caffè Macchiato | Toast | Panino Prosciutto | Tramezzino | Cono {n} Gusti | Coppetta | Acqua 0,5 | Tè Caldo | Bombolone | Pane | Focaccia | Succo | Torta {coin}
grocery: Latte Intero | Pane | Uova x6 | Parmigiano | Mozzarella | Prosciutto Crudo | Pasta | Riso | Farina | Zucchero | Caffè | Olio EVO | Acqua Naturale | Birra | Vino Rosso | Pomodori | Banane | Mele | Patate | Zucchine | Pollo | Salsiccia
    | Tonno | Biscotti | Cioccolato | Detersivo | Carta Igienica | Shampoo | Dentifricio | Sacchetto Bio | Insalata | Yogurt | Burro | Limoni | Passata | Grissini
items_grocery: {grocery} | {grocery} | {coin} {grocery} | {grocery} gr{n}00 | {grocery} kg1 | {coin} {grocery} | {grocery} Bio
items_general: Reparto {n} | REPARTO {n} | Vari | Lampadina LED | Vernice 1L | Viti {n}x{n0} | Tachipirina 1000 | Sciroppo | Crema {coin} | Maglia {coin} | Jeans {n2} | Calze | Abito {coin} | Scarpe {n2} | Penna | Quaderno | Libro | Giornale
    | Cavo USB | Caricatore | Cuffie | Taglio Uomo | Parcheggio {n}h | Camera | Mazzo Fiori | Candela {coin} | {coin} {n3} | Benzina | Gasolio | Camicia {coin} | Tabacchi | Gioco
n0: 10 | 20 | 30 | 60 | 100
"""

_DUTCH = """
family: de Jong | Jansen | de Vries | van den Berg | Bakker | van Dijk | Visser | Smit | Meijer | de Boer | Mulder | de Groot | Bos | Vos | Peters | Hendriks | van Leeuwen | Dekker | Brouwer | de Wit | Dijkstra | Smits | de Graaf
    | van der Meer | Kok | Jacobs | de Haan | Vermeulen | van den Heuvel | van der Veen | Schouten | Willems | Hoekstra | Koster | Prins | Huisman | Postma | Kuipers | Veenstra | Kramer
given: Jan | Anna | Piet | Sanne | Kees | Eva | Daan | Lisa | Tim | Femke | Bram | Sophie | Lotte | Joris
adjective: Gouden | Oude | Nieuwe | Rode | Witte | Blauwe | Kleine
thing: Leeuw | Molen | Haven | Zwaan | Roos | Anker | Brug | Kroon | Ster | Vos | Hoek | Boom | Klok | Tuin | Waag | Dom
suffix: B.V. | BV | V.O.F. | VOF | N.V. | & Zn.
trade_restaurant: Restaurant | Eetcafé | Brasserie | Cafetaria | Grand Café | Pannenkoekenhuis | Pizzeria | Snackbar | Eethuis | Bistro
trade_cafe: Bakkerij | Café | Lunchroom | Koffiehuis | IJssalon | Banketbakkerij | Koffiebar | Theehuis
trade_grocery: Supermarkt | Slagerij | Kaashandel | Markt | Groenten & Fruit | Buurtsuper | Avondwinkel | Natuurwinkel | Slijterij | Versmarkt
trade_hardware: Bouwmarkt | IJzerwaren | Tuincentrum | Verf & Behang | Fietsen | Gereedschap | Doe-het-zelf
trade_pharmacy: Apotheek | Drogisterij | Opticien | Parfumerie
trade_clothing: Mode | Schoenen | Sport | Juwelier | Bloemen | Wonen | Speelgoed | Meubelen | Cadeaus
trade_stationery: Boekhandel | Kantoorboekhandel | Bruna | Tabak & Lectuur | Copyshop
trade_electronics: Elektronica | Computers | Telecom | Foto | Witgoed
trade_services: Kapper | Stomerij | Parkeergarage | Hotel | Garage | Wasstraat | Bioscoop | Taxi
trade_fuel: Tankstation | Tank & Go | Servicestation | Brandstoffen
name: {trade} {family} | {trade} {family} | {trade} De {adjective} {thing} | De {adjective} {thing} | {coin} | {coin} {trade} | {trade} {coin} | {coin} {suffix} | {family} {trade} {suffix} | {brandish} | {trade} 't {thing}je | {brandish} {town} | {family} & {family} {suffix}
    | {initials} {trade} {suffix} | {trade} {given}
town: Amsterdam | Rotterdam | Den Haag | Utrecht | Eindhoven | Groningen | Tilburg | Almere | Breda | Nijmegen | Apeldoorn | Haarlem | Arnhem | Enschede | Amersfoort | Zaandam | Den Bosch | Zwolle | Leiden | Maastricht | Dordrecht | Delft | Alkmaar
    | Venlo | Deventer | Gouda | Hilversum | Leeuwarden | Middelburg | Assen
street: {family}straat | Kerkstraat | Dorpsstraat | Stationsweg | Markt | Hoofdstraat | Molenweg | Nieuwstraat | Grote Markt | Langestraat | Damrak | Julianalaan | Wilhelminaplein | Beatrixlaan | Schoolstraat | {coin}laan | Breestraat | Singel
address: {street} {num}, {n4} {letter}{letter} {town} | {street} {num} {n4} {letter}{letter} {town} | {street} {num} {n4}{letter}{letter} {town} | {street} {num}-{n}, {n4} {letter}{letter} {town} | {street} {num} {town}
phone: 0{n2}-{n7} | 0{n2} {n3} {d4} | 020-{n7} | 0{n3}-{n6} | +31 {n2} {n3} {d4} | 06-{n8} | 088 - {n3} {d4}
tax_id: NL{n9}B01 | NL{n9}B{d2} | NL {n4}.{d2}.{d3}.B01 | NL{n4}{d5}B02
tax_id_label: BTW-nr | BTW nr. | BTW-nummer | BTW | BTW nr | Btw-id
company_id: KvK {n8} | KvK-nr {n8} | Filiaal {n4}
receipt_id: {n6} | {n4} | {n5} | {n4}-{d5} | {letter}{n5} | {n8} | {n3}
receipt_label: Bonnr | Bon nr. | Kassabon | Transactie | Factuur | Bonnummer | Bon | Nota | Rekening | Ticketnr | Bestelling
items_restaurant: Bitterballen | Kroket | Friet | Uitsmijter | Tosti Ham Kaas | Biefstuk | Saté | Pannenkoek Spek | Tomatensoep | Caesar Salade | Zalm | Spareribs | Broodje Gezond | Burger {coin} | Dagmenu | Kaasfondue
    | Koffie | Cappuccino | Thee | Bier 0,25 | Pils | Huiswijn Rood | Cola | Spa Rood | Jus d'Orange | Appeltaart | Slagroom | Dame Blanche | IJs {n} Bol
items_cafe: Koffie | Cappuccino | Latte | Thee | Appeltaart | Croissant | Volkoren Brood | Krentenbol | Saucijzenbroodje | Stroopwafel | Kaasbroodje | Tompouce | Broodje Kaas | Vlaai {coin} | Worstenbrood
grocery: Halfvolle Melk | Brood | Eieren | Jonge Kaas | Boter | Yoghurt | Vla | Hagelslag | Pindakaas | Bananen | Appels | Tomaten | Komkommer | Aardappelen | Uien | Kipfilet | Gehakt | Rookworst | Pasta | Rijst | Koffie | Thee | Bier | Wijn | Cola
    | Chips | Koekjes | Drop | Wasmiddel | Wc-papier | Tandpasta | Shampoo | Draagtas | Statiegeld | Wortelen | Sla | Zalm
items_grocery: {grocery} | {grocery} | {coin} {grocery} | AH {grocery} | {grocery} {n}00g | Bio {grocery} | {coin} {grocery}
items_general: Schroeven {n}x{n0} | LED Lamp | Muurverf 5L | Kwast | Batterijen | Paracetamol | Hoestsiroop | Handcrème | T-shirt {coin} | Broek {n2} | Sokken | Jurk {coin} | Schoenen {n2} | Pen | Schrift | Boek | Tijdschrift | Kabel 2m | Oplader
    | Knippen Heren | Parkeren {n}u | Overnachting | Boeket | Kaars {coin} | {coin} {n3} | Euro 95 | Diesel | Kussen | Jas {coin}
n0: 10 | 20 | 30 | 60 | 100
"""

_PORTUGUESE = """
family: Silva | Santos | Ferreira | Pereira | Oliveira | Costa | Rodrigues | Martins | Jesus | Sousa | Fernandes | Gonçalves | Gomes | Lopes | Marques | Alves | Almeida | Ribeiro | Pinto | Carvalho | Teixeira | Moreira | Correia
    | Mendes | Nunes | Soares | Vieira | Monteiro | Cardoso | Rocha | Raposo | Neves | Coelho | Cruz | Cunha | Pires | Ramos | Reis | Simões | Antunes
given: Maria | João | Ana | Pedro | Manuel | Rita | Tiago | Inês | Zé | António | Sofia | Carlos | Beatriz | Paulo
adjective: Novo | Velho | Grande | Bom | Belo
thing: Mar | Sol | Rio | Galo | Peixe | Moinho | Farol | Porto | Jardim | Pátio | Forno | Pinhal | Castelo | Lagar | Cais
suffix: Lda | Lda. | S.A. | SA | Unipessoal Lda | & Filhos Lda
trade_restaurant: Restaurante | Churrasqueira | Marisqueira | Tasca | Cervejaria | Pizzaria | Snack-Bar | Adega | Taberna | Lanchonete
trade_cafe: Café | Pastelaria | Padaria | Confeitaria | Gelataria | Cafetaria | Padaria Pastelaria
trade_grocery: Supermercado | Mercearia | Talho | Frutaria | Minimercado | Mercado | Peixaria | Hipermercado | Garrafeira
trade_hardware: Ferragens | Drogaria | Materiais de Construção | Tintas | Bricolage | Auto Peças
trade_pharmacy: Farmácia | Parafarmácia | Óptica | Perfumaria | Drogaria
trade_clothing: Moda | Sapataria | Boutique | Desporto | Ourivesaria | Florista | Móveis | Brinquedos
trade_stationery: Papelaria | Livraria | Tabacaria | Gráfica
trade_electronics: Electrónica | Informática | Telemóveis | Electrodomésticos
trade_services: Lavandaria | Cabeleireiro | Hotel | Parque | Oficina | Pensão | Cinema | Táxi
trade_fuel: Posto | Combustíveis | Estação de Serviço | Auto Posto
name: {trade} {family} | {trade} O {thing} | {trade} {given} | {coin} | {coin} {trade} | {trade} {coin} | {trade} {family} {suffix} | {coin} {suffix} | {family} & {family} {suffix} | {brandish} | {trade} {adjective} {thing} | {trade} {coin} {suffix} | {initials} {suffix} | O {thing} do {given} | {brandish} {town}
town: Lisboa | Porto | Braga | Coimbra | Faro | Setúbal | Aveiro | Évora | Leiria | Funchal | Guimarães | Viseu | Viana do Castelo | Almada | Sintra | Cascais | Matosinhos | Portimão | Lagos | Santarém | Beja | Tomar | Loulé
ruaname: da Liberdade | Direita | do Comércio | 25 de Abril | da República | Augusta | de Santa Catarina | dos Pescadores | {family} | {given} {family} | do Sol | da Praia
rua: Rua | R. | Av. | Avenida | Largo | Praça | Travessa
address: {rua} {ruaname}, {num} {n4}-{d3} {town} | {rua} {ruaname} {num} {n4}-{d3} {town} | {rua} {ruaname}, {num}, {n4}-{d3} {town} | {rua} {ruaname} nº {num}, {n4}-{d3} {town} | {rua} {ruaname}, {num} {town}
phone: 2{n2} {d3} {d3} | 21{d7} | 2{d8} | +351 2{n2} {d3} {d3} | 9{d2} {d3} {d3}
tax_id: 5{d8} | PT5{d8} | 5{d2} {d3} {d3} | 2{d8}
tax_id_label: NIF | Contribuinte | NIPC | N.I.F. | Contrib. | NIF:
company_id: Cap. Social {n}.000 Eur | Loja {n3}
receipt_id: FS {n4}/{n5} | FR 20{d2}/{n4} | FS {letter}{n}/{n4} | FT {n3}/{n5} | VD {n6} | {n6} | FS {n6}{letter}/{n3}
receipt_label: Fatura Simplificada | Fatura-Recibo | Factura | Fatura nº | Talão | Doc. | Original | Recibo | Fatura
items_restaurant: Bacalhau à Brás | Bitoque | Francesinha | Polvo Lagareiro | Arroz de Marisco | Frango Assado | Caldo Verde | Bifana | Sardinhas | Prato do Dia | Salada Mista | Couvert | Azeitonas | Pão | Imperial | Vinho Casa | Água 0,5 | Café
    | Coca-Cola | Sumo Laranja | Mousse Chocolate | Pudim | Arroz Doce | Menu {coin} | Espetada | Batata Frita
items_cafe: Café | Meia de Leite | Galão | Pastel de Nata | Torrada | Tosta Mista | Croissant Misto | Pão de Deus | Sumo Natural | Água | Chá | Bola de Berlim | Queque | Pão Mistura | Empada | Bolo {coin}
grocery: Leite Meio Gordo | Pão | Ovos | Queijo Flamengo | Manteiga | Iogurte | Fiambre | Arroz Agulha | Massa | Azeite | Açúcar | Farinha | Café | Água | Cerveja | Vinho Tinto | Tomate | Banana | Maçã | Batata | Cebola | Frango | Carne Picada | Bacalhau
    | Atum | Bolachas | Chocolate | Detergente | Papel Higiénico | Champô | Saco Plástico | Alface | Cenoura | Feijão
items_grocery: {grocery} | {grocery} | {coin} {grocery} | {grocery} {n}00G | {grocery} 1L | {grocery} KG
items_general: Lâmpada LED | Parafusos {n}x{n0} | Tinta 5L | Pilhas AA | Ben-u-ron | Xarope | Creme {coin} | T-Shirt {coin} | Calças {n2} | Meias | Vestido {coin} | Sapatos {n2} | Caneta | Caderno | Livro | Jornal | Cabo USB | Carregador | Corte Homem
    | Estacionamento | Quarto | Ramo Flores | Vela {coin} | {coin} {n3} | Gasolina 95 | Gasóleo | Camisa {coin}
n0: 10 | 20 | 30 | 60 | 100
"""

_BRAZIL = """
suffix: Ltda | Ltda. | S/A | ME | EIRELI | Comércio Ltda | EPP | Com. de Alimentos Ltda
town: São Paulo - SP | Rio de Janeiro - RJ | Belo Horizonte - MG | Curitiba - PR | Porto Alegre - RS | Salvador - BA | Recife - PE | Fortaleza - CE | Brasília - DF | Campinas - SP | Santos - SP | Goiânia - GO | Florianópolis - SC
bairro: Centro | Jardim {coin} | Vila {given} | Bela Vista | Moema | Boa Viagem | Savassi | Copacabana | Parque {coin}
address: {rua} {ruaname}, {num}, {bairro}, {town} | {rua} {ruaname}, {num} - {bairro} - {town} | {rua} {ruaname} {num} {bairro} {town} CEP {n5}-{d3} | {rua} {ruaname}, {num}, {bairro} {town}
phone: ({n2}) {n4}-{d4} | ({n2}) 9{d4}-{d4} | ({n2}){n4}-{d4} | 0800 {n3} {d4}
tax_id: {n2}.{d3}.{d3}/0001-{d2} | {n2}.{d3}.{d3}/000{n}-{d2}
tax_id_label: CNPJ | CNPJ: | C.N.P.J.
company_id: IE: {n3}.{d3}.{d3}.{d3} | IE {n9} | IM: {n7}
receipt_id: {d6} | {n6} | {d9} | {n4}
receipt_label: Extrato No. | NFC-e nº | COO | Cupom | Número | Doc | Pedido | Extrato
"""


@cache
def locales() -> tuple[Locale, ...]:
    """Every country, in a fixed order."""
    english = {**rules(_ANYWHERE), **rules(_ENGLISH)}

    def over(*texts: str, base: Mapping[str, tuple[str, ...]] = english) -> dict[str, tuple[str, ...]]:
        merged = dict(base)
        for text in texts:
            merged |= rules(text)
        return merged

    dollars = ("{}", "${}", "${}", "$ {}", "{} USD", "USD {}")
    euros = ("{}", "{}", "{} EUR", "EUR {}", "{} €", "{}€", "€ {}", "€{}")
    five = Decimal("0.05")
    american = over(_UNITED_STATES)
    german, french, iberian = over(_GERMAN), over(_FRENCH), over(_SPANISH)
    portuguese = over(_PORTUGUESE)
    return (
        Locale("MY", 29, "en", "MYR", "DMY", ("{}", "{}", "RM{}", "RM {}", "MYR {}"), _ENGLISH_DMY, _MIXED, ("6",), 0.3, over(_MALAYSIA), cash_step=five),
        Locale("SG", 2.5, "en", "SGD", "DMY", ("{}", "${}", "S${}", "$ {}", "SGD {}"), _ENGLISH_DMY, _MIXED, ("7", "8", "9"), 0.5, over(_MALAYSIA, _SINGAPORE), cash_step=five),
        Locale("US", 28, "en", "USD", "MDY", dollars, _MDY, (*_H12, *_H12, *_H24), ("6", "8.25", "7", "9.5", "8.875", "5.5", "10"), 1.0, american),
        Locale("CA", 4, "en", "CAD", "MDY", ("{}", "${}", "$ {}", "CAD {}", "{} $"), (*_MDY, *_DMY), _MIXED, ("13", "5", "15"), 1.0, over(_CANADA, base=american), cash_step=five),
        Locale("GB", 6, "en", "GBP", "DMY", ("{}", "£{}", "£{}", "£ {}", "GBP {}"), _ENGLISH_DMY, _MIXED, ("20",), 0.06, over(_BRITAIN)),
        Locale("IE", 1, "en", "EUR", "DMY", ("{}", "€{}", "EUR {}"), _ENGLISH_DMY, _MIXED, ("23", "13.5"), 0.05, over(_BRITAIN)),
        Locale("AU", 2.5, "en", "AUD", "DMY", ("{}", "${}", "${}", "AUD {}"), _ENGLISH_DMY, _MIXED, ("10",), 0.05, over(_BRITAIN, _AUSTRALIA), cash_step=five),
        Locale("IN", 2, "en", "INR", "DMY", ("{}", "Rs. {}", "Rs.{}", "₹{}", "₹ {}", "INR {}"), _ENGLISH_DMY, _MIXED, ("5", "18", "12"), 0.6, over(_INDIA), cash_step=Decimal(1), price_scale=30),
        Locale("DE", 9, "de", "EUR", "DMY", euros, _DOTTED, (*_H24, "{h:02}:{i:02} Uhr"), ("19", "7"), 0.02, german, comma=True),
        Locale("AT", 1.5, "de", "EUR", "DMY", euros, _DOTTED, (*_H24, "{h:02}:{i:02} Uhr"), ("20", "10"), 0.02, over(_AUSTRIA, base=german), comma=True),
        Locale("CH", 1, "de", "CHF", "DMY", ("{}", "CHF {}", "Fr. {}", "{} CHF"), _DOTTED, _H24, ("7.7", "2.5"), 0.02, over(_SWITZERLAND, base=german), cash_step=five),
        Locale("FR", 5, "fr", "EUR", "DMY", euros, _DMY, (*_H24, "{h:02}h{i:02}"), ("20", "10", "5.5"), 0.03, french, comma=True),
        Locale("ES", 4, "es", "EUR", "DMY", euros, _DMY, _H24, ("21", "10", "4"), 0.05, iberian, comma=True),
        Locale("IT", 4, "it", "EUR", "DMY", euros, _DMY, (*_H24, "{h:02}.{i:02}"), ("22", "10", "4"), 0.02, over(_ITALIAN), comma=True),
        Locale("NL", 2.5, "nl", "EUR", "DMY", euros, _DMY, _H24, ("21", "9"), 0.03, over(_DUTCH), comma=True, cash_step=five),
        Locale("PT", 1.5, "pt", "EUR", "DMY", euros, _DMY, _H24, ("23", "13", "6"), 0.03, portuguese, comma=True),
        Locale("BR", 1.5, "pt", "BRL", "DMY", ("{}", "R$ {}", "R${}"), _DMY, _H24, ("18",), 0.0, over(_BRAZIL, base=portuguese), comma=True, price_scale=4),
        Locale("MX", 2, "es", "MXN", "DMY", ("{}", "${}", "$ {}", "$ {} MXN"), _DMY, _MIXED, ("16",), 0.25, over(_MEXICO, base=iberian), price_scale=12),
    )  # fmt: skip


@cache
def towns(locale_code: str) -> tuple[str, ...]:
    """A locale's towns in capitals, to find a place within an address."""
    found = next(locale for locale in locales() if locale.code == locale_code)
    return tuple(name.upper() for name in found.lists["town"] if "{" not in name)
