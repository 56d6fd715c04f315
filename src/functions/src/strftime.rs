//! `strftime`

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_value::Timestamp;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "strftime",
    signatures: &[
        ("Timespan $time_object, String $format", |call| match call.arg(0) {
            Value::Timespan(span) => Ok(Value::from(span.format(call.str(1)).map_err(Reason::runtime)?)),
            _ => Ok(Value::Undef),
        }),
        ("Timestamp $time_object, String $format, String $timezone = ''", |call| match call.arg(0) {
            Value::Timestamp(time) => {
                Ok(Value::from(time.format(call.str(1), call.arg(2).as_str()).map_err(Reason::runtime)?))
            }
            _ => Ok(Value::Undef),
        }),
        ("String $format, String $timezone = ''", format_now),
    ],
    doc: "Formats a Timestamp or Timespan with directives such as `%Y-%m-%d`, `%H:%M:%S`, `%s`; those of a Timespan \
          are `%D` days, `%H`, `%M`, `%S`, `%L`, `%N`. A Timestamp is shown in UTC unless a time zone is given. With \
          only a format it formats the current time, which is deprecated.",
    examples: &[
        ("strftime(Timestamp('2020-01-02T03:04:05'), '%F %T')", "'2020-01-02 03:04:05'"),
        ("strftime(Timespan({'hours' => 30}), '%D-%H')", "'1-06'"),
        ("strftime(Timestamp('2020-01-02T03:04:05'), '%H:%M', '+02:00')", "'05:04'"),
    ],
};

fn format_now(call: &mut Call<'_, '_>) -> Res<Value> {
    runtime3::warn_once(
        call,
        "The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime \
         documentation and Timespan type for more info",
    );
    let nanoseconds = i128::try_from(call.ev.world.now().as_nanos()).unwrap_or(i128::MAX);
    let time = Timestamp::new(nanoseconds);
    Ok(Value::from(time.format(call.str(0), call.arg(1).as_str()).map_err(Reason::runtime)?))
}
