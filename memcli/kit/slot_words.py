"""Words by which the value of a slot is known: occupations, nationalities, languages."""

from memcli.kit.words import listed

JOBS = listed("""
    accountant actor actress actuary administrator analyst anthropologist architect archivist artist
    assistant astronomer attorney auditor author baker banker barber barista bartender biologist
    bookkeeper botanist broker builder butcher carer caretaker caregiver carpenter cashier ceo cfo
    chef chemist cleaner clerk coach composer consultant contractor cook coordinator copywriter
    counselor counsellor courier cto curator dancer dentist designer detective developer dietitian
    director doctor driver economist editor educator electrician engineer entrepreneur estimator
    farmer firefighter fisherman florist freelancer gardener geologist geographer
    guide hairdresser historian instructor interpreter investigator janitor jeweler journalist judge
    laborer lawyer lecturer librarian lifeguard machinist maintainer manager marketer mason mathematician
    mechanic midwife miner musician nanny novelist nurse nutritionist officer operator optician
    painter paralegal paramedic pastor pathologist pediatrician pharmacist philosopher photographer
    physician physicist physiotherapist pilot plumber policeman policewoman postman potter
    president principal producer professor programmer psychiatrist psychologist publicist realtor
    receptionist recruiter reporter researcher roofer sailor salesperson scientist sculptor secretary
    singer social-worker soldier songwriter statistician stylist surgeon surveyor tailor teacher
    technician technologist therapist trader trainer translator treasurer tutor underwriter vet
    veterinarian waiter waitress welder worker writer zoologist intern apprentice postdoc sre
    """)
# Before an occupation these say how well it is done, or that it is none.
JUDGED = listed("""
    terrible good bad great awful big huge decent better best amazing natural former ex retired
    aspiring wannabe future hopeful would-be lousy slow fast keen avid amateur hobby horrible
    """)
NATIONALITIES = listed("""
    afghan albanian algerian american argentine argentinian armenian australian austrian bangladeshi
    belarusian belgian bolivian bosnian brazilian british bulgarian cambodian cameroonian canadian
    chilean chinese colombian croatian cuban cypriot czech danish dominican dutch ecuadorian egyptian
    english estonian ethiopian filipino finnish french georgian german ghanaian greek guatemalan
    haitian hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican
    japanese jordanian kazakh kenyan korean kuwaiti latvian lebanese libyan lithuanian luxembourgish
    malaysian maltese mexican moldovan mongolian moroccan nepalese nepali nigerian norwegian pakistani
    palestinian panamanian peruvian polish portuguese romanian russian rwandan salvadoran scottish
    senegalese serbian singaporean slovak slovenian somali spanish sudanese swedish swiss syrian
    taiwanese tanzanian thai tunisian turkish ugandan ukrainian uruguayan venezuelan vietnamese welsh
    zambian zimbabwean
    """)
# In capitals, and no names.
FAITHS = listed("catholic jewish muslim christian hindu buddhist protestant orthodox sikh")
LANGUAGES = (
    "arabic|bengali|cantonese|catalan|chinese|czech|danish|dutch|english|finnish|french|german|greek|"
    "hebrew|hindi|hungarian|indonesian|italian|japanese|korean|mandarin|norwegian|persian|polish|"
    "portuguese|punjabi|romanian|russian|serbian|spanish|swahili|swedish|tamil|thai|turkish|"
    "ukrainian|urdu|vietnamese"
)
