//! Time zones as Ruby's date library reads them: `+05:30`, `gmt-3`, `CEST`, `est dst`, `w. europe standard time`.

/// Offsets in minutes and the names that have them.
const ZONES: &[(i64, &str)] = &[
    (-720, "aoe,dateline,idlw"),
    (-660, "nt,nut,samoa,sst"),
    (-600, "ahst,ckt,hast,hawaiian,hst,taht"),
    (-540, "akst,alaskan,gamt,hadt,hdt,yst"),
    (-510, "mart"),
    (-480, "akdt,pacific,pst,ydt"),
    (-420, "mountain,mst,pdt,us mountain"),
    (-360, "canada central,central,central america,cst,east,galt,mdt,mexico"),
    (-300, "act,cdt,cist,cot,easst,eastern,ect,est,pet,sa pacific,us eastern"),
    (-240, "ast,atlantic,bot,clt,edt,fkt,gyt,pacific sa,sa western,vet"),
    (-210, "newfoundland"),
    (-180, "adt,art,brt,clst,e. south america,fkst,gft,greenland,pmst,pyst,rott,sa eastern,srt,uyt,warst,wgt"),
    (-150, "nst"),
    (-120, "at,brst,fnt,pmdt,uyst,wgst"),
    (-90, "ndt"),
    (-60, "azores,azot,cape verde,cvt,egt"),
    (0, "azost,egst,gmt,greenwich,ut,utc,wet,wt"),
    (60, "bst,central europe,central european,cet,fwt,met,mewt,mez,romance,swt,w. central africa,w. europe,wat,west"),
    (120, "cat,cest,e. europe,eet,egypt,fle,fst,gtb,jerusalem,mest,mesz,sast,south africa,wast"),
    (180, "arab,arabic,bt,e. africa,eat,eest,fet,idt,msk,russian,syot,trt"),
    (210, "iran,irst"),
    (240, "arabian,azt,caucasus,get,kuyt,msd,mut,ret,samt,sct"),
    (270, "afghanistan,aft,irdt"),
    (300, "aqtt,azst,ekaterinburg,mawt,mvt,orat,pkt,tft,tjt,tmt,uzt,west asia,yekt"),
    (330, "india,ist"),
    (345, "nepal,npt"),
    (360, "almt,btt,central asia,iot,kgt,n. central asia,omst,qyzt,sri lanka,vost,yekst"),
    (390, "cct,mmt,myanmar"),
    (420, "cxt,davt,hovt,ict,krat,north asia,novst,novt,omsst,se asia,wib"),
    (
        480,
        "awst,bnt,cast,china,chot,hkt,hovst,irkt,krast,malay peninsula,myt,north asia east,pht,sgt,taipei,ulat,w. australia,wadt,wita",
    ),
    (525, "acwst"),
    (540, "awdt,chost,irkst,jst,korea,kst,pwt,tlt,tokyo,ulast,wit,yakt,yakutsk"),
    (570, "acst,aus central,cen. australia"),
    (600, "aest,aus eastern,chst,chut,ddut,e. australia,gst,pgt,tasmania,vladivostok,vlat,west pacific,yakst,yapt"),
    (630, "acdt,lhst"),
    (660, "aedt,central pacific,eadt,kost,lhdt,magt,nct,nft,pont,sakt,sbt,sret,vlast,vut"),
    (720, "anast,anat,fiji,fjt,gilt,idle,magst,mht,new zealand,nfdt,nrt,nzst,nzt,petst,pett,tvt,wakt,wft"),
    (765, "chast"),
    (780, "fjst,nzdt,phot,tkt,tonga,tot"),
    (825, "chadt"),
    (840, "lint,tost"),
];

/// The zone at the beginning of a string: its length in bytes, and its offset in seconds if the zone is known.
pub(super) fn parse(text: &str) -> Option<(usize, Option<i64>)> {
    if let Some(length) = numeric_length(text) {
        return Some((length, text.get(..length).and_then(parse_offset)));
    }
    let length = name_length(text)?;
    Some((length, text.get(..length).and_then(find_offset)))
}

fn count(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !fits(c)).unwrap_or(text.len())
}

fn digits(text: &str) -> usize {
    count(text, |c| c.is_ascii_digit())
}

/// The length of `gmt`, `ut` or `utc` before a sign, else 0.
fn universal_length(text: &str) -> usize {
    let starts = |name: &str| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    let length = if starts("gmt") || starts("utc") { 3 } else { 2 * usize::from(starts("ut")) };
    if text.get(length..).is_some_and(|rest| rest.starts_with(['+', '-'])) { length } else { 0 }
}

/// The length of `[gmt|ut|utc](+|-)D[:D[:D]]`.
fn numeric_length(text: &str) -> Option<usize> {
    let mut length = universal_length(text);
    let after_sign = text.get(length..)?.strip_prefix(['+', '-'])?;
    let first = digits(after_sign);
    if first == 0 {
        return None;
    }
    length += 1 + first;
    let mut eat_digits = |separators: &[char]| {
        let rest = text.get(length..).and_then(|rest| rest.strip_prefix(separators)).unwrap_or("");
        let count = digits(rest);
        length += if count > 0 { count + 1 } else { 0 };
        count > 0
    };
    if eat_digits(&[',', '.', ':']) {
        eat_digits(&[':']);
    }
    Some(length)
}

/// The length of `… standard time`, `… daylight time`, or one word with an optional ` dst`.
fn name_length(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let run = count(&lower, |c| c.is_alphabetic() || c == '.' || c.is_whitespace());
    for name in ["standard", "daylight"] {
        let mut end = run;
        while let Some(at) = lower.get(..end).and_then(|part| part.rfind(name)) {
            let rest = lower.get(at + name.len()..).unwrap_or("");
            let blanks = count(rest, char::is_whitespace);
            let time = rest.get(blanks..).and_then(|rest| rest.strip_prefix("time"));
            if at > 0 && blanks > 0 && time.is_some_and(ends_word) {
                return Some(at + name.len() + blanks + 4);
            }
            end = at;
        }
    }
    let word = count(&lower, char::is_alphabetic);
    if word == 0 || !ends_word(lower.get(word..)?) {
        return None;
    }
    let rest = lower.get(word..)?;
    let mut after = rest.chars();
    let dst =
        after.next().is_some_and(char::is_whitespace) && after.as_str().strip_prefix("dst").is_some_and(ends_word);
    Some(if dst { word + rest.chars().next().map_or(0, char::len_utf8) + 3 } else { word })
}

fn ends_word(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn parse_offset(zone: &str) -> Option<i64> {
    let length = universal_length(zone);
    // Ruby parses `ut` before a sign, but returns no offset.
    if length == 2 {
        return None;
    }
    let rest = zone.get(length..)?;
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    let rest = rest.get(1..)?;
    let int = |text: &str| text.parse::<i64>().ok();
    let seconds = if rest.contains(':') {
        let mut parts = rest.split([':', ',', '.']).map(int);
        let mut next = || parts.next().flatten().unwrap_or(0);
        next().checked_mul(3600)? + next().checked_mul(60)? + next()
    } else if let Some((hours, fraction)) = rest.split_once([',', '.']) {
        let digits = fraction.get(..fraction.len().min(7))?;
        let scale = 10_i64.checked_pow(u32::try_from(digits.len()).ok()?)?;
        int(hours)?.checked_mul(3600)? + int(digits)? * 3600 / scale
    } else {
        // An odd number of digits begins with an hour of one digit.
        let lead = 2 - rest.len() % 2;
        let part = |from: usize| rest.get(from..from + 2).and_then(int).unwrap_or(0);
        int(rest.get(..lead)?)? * 3600 + part(lead) * 60 + part(lead + 2)
    };
    Some(sign * seconds)
}

fn find_offset(zone: &str) -> Option<i64> {
    let lower = zone.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let (name, saving) = match words.as_slice() {
        [name @ .., "standard", "time"] => (name.join(" "), 0),
        [name @ .., "daylight", "time"] => (name.join(" "), 3600),
        [name, "dst"] => ((*name).to_owned(), 3600),
        name => (name.join(" "), 0),
    };
    let offset = match name.as_bytes() {
        [letter @ b'a'..=b'i'] => i64::from(letter - b'a') * 60 + 60,
        [letter @ b'k'..=b'm'] => i64::from(letter - b'k') * 60 + 600,
        [letter @ b'n'..=b'y'] => -i64::from(letter - b'n') * 60 - 60,
        b"z" => 0,
        _ => ZONES.iter().find(|(_, names)| names.split(',').any(|alias| alias == name))?.0,
    };
    Some(offset * 60 + saving)
}
