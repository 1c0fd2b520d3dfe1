/** How each language says when a schedule fires: phrases that `Summary.ts` puts together, in lower case. */
import type { Language } from "../../../kernel/Language.ts"

export type Unit = "second" | "minute" | "hour" | "day" | "week"

export interface Wording {
  /** Between the parts of a sentence. */
  readonly comma: string
  /** By which `Intl` joins lists and names days and months. */
  readonly locale: string
  readonly range: (from: string, to: string) => string
  readonly steps: (range: string, step: number) => string
  readonly at: (times: string) => string
  readonly atDaily: (times: string) => string
  /** At which seconds of a minute, or minutes of an hour. */
  readonly atUnits: (unit: "second" | "minute", list: string, isOne: boolean) => string
  readonly ofEveryHour: (minutes: string) => string
  readonly between: (from: string, to: string) => string
  readonly inHours: (list: string) => string
  readonly days: (list: string, isOne: boolean) => string
  readonly showDay: (day: number) => string
  readonly nearestWeekday: (day: string) => string
  readonly lastDay: string
  readonly beforeLastDay: (count: number) => string
  readonly lastWeekday: string
  /** A list of the five above. */
  readonly onDays: (list: string) => string
  readonly nthWeekday: (weekday: string, nth: number) => string
  readonly lastOf: (weekday: string) => string
  /** A list of weekdays and of the two above. */
  readonly onWeekdays: (list: string) => string
  readonly inMonths: (list: string) => string
  readonly either: (days: string, weekdays: string) => string
  readonly once: (moment: string) => string
  readonly everyOne: Readonly<Record<Unit, string>>
  /** An interval of this length: `5 minutes`, `1 hour and 30 minutes`. */
  readonly every: (length: string, unit: Unit) => string
}

const en: Wording = {
  locale: "en-GB",
  comma: ", ",
  range: (from, to) => `${from} through ${to}`,
  steps: (range, step) => `${range} in steps of ${step}`,
  at: (times) => `at ${times}`,
  atDaily: (times) => `at ${times} every day`,
  atUnits: (unit, list, isOne) => `at ${unit}${isOne ? "" : "s"} ${list}`,
  ofEveryHour: (minutes) => `${minutes} of every hour`,
  between: (from, to) => `between ${from} and ${to}`,
  inHours: (list) => `in the hours ${list}`,
  days: (list, isOne) => `${isOne ? "day" : "days"} ${list}`,
  showDay: String,
  nearestWeekday: (day) => `the weekday nearest to day ${day}`,
  lastDay: "the last day",
  beforeLastDay: (count) => `${count} ${count === 1 ? "day" : "days"} before the last day`,
  lastWeekday: "the last weekday (Monday to Friday)",
  onDays: (list) => `on ${list} of the month`,
  nthWeekday: (weekday, nth) =>
    `the ${["first", "second", "third", "fourth", "fifth"][nth - 1]} ${weekday} of the month`,
  lastOf: (weekday) => `the last ${weekday} of the month`,
  onWeekdays: (list) => `on ${list}`,
  inMonths: (list) => `in ${list}`,
  either: (days, weekdays) => `${days} or ${weekdays}`,
  once: (moment) => `once, at ${moment}`,
  everyOne: {
    second: "every second",
    minute: "every minute",
    hour: "every hour",
    day: "every day",
    week: "every week"
  },
  every: (length) => `every ${length}`
}

const de: Wording = {
  locale: "de",
  comma: ", ",
  range: (from, to) => `${from} bis ${to}`,
  steps: (range, step) => `${range} in Schritten von ${step}`,
  at: (times) => `um ${times}`,
  atDaily: (times) => `jeden Tag um ${times}`,
  atUnits: (unit, list, isOne) => {
    const name = unit === "second" ? "Sekunde" : "Minute"
    return isOne ? `zur ${name} ${list}` : `zu den ${name}n ${list}`
  },
  ofEveryHour: (minutes) => `${minutes} jeder Stunde`,
  between: (from, to) => `von ${from} bis ${to}`,
  inHours: (list) => `in den Stunden ${list}`,
  days: (list) => list,
  showDay: (day) => `${day}.`,
  nearestWeekday: (day) => `Werktag nahe dem ${day}`,
  lastDay: "letzten Tag",
  beforeLastDay: (count) => `${count}. Tag vor dem letzten Tag`,
  lastWeekday: "letzten Werktag (Montag bis Freitag)",
  onDays: (list) => `am ${list} des Monats`,
  nthWeekday: (weekday, nth) =>
    `${["ersten", "zweiten", "dritten", "vierten", "fünften"][nth - 1]} ${weekday} des Monats`,
  lastOf: (weekday) => `letzten ${weekday} des Monats`,
  onWeekdays: (list) => `am ${list}`,
  inMonths: (list) => `im ${list}`,
  either: (days, weekdays) => `${days} oder ${weekdays}`,
  once: (moment) => `einmal, am ${moment}`,
  everyOne: {
    second: "jede Sekunde",
    minute: "jede Minute",
    hour: "jede Stunde",
    day: "jeden Tag",
    week: "jede Woche"
  },
  every: (length) => `alle ${length}`
}

const es: Wording = {
  locale: "es",
  comma: ", ",
  range: (from, to) => `${from} a ${to}`,
  steps: (range, step) => `${range} en pasos de ${step}`,
  at: (times) => `a las ${times}`,
  atDaily: (times) => `cada día a las ${times}`,
  atUnits: (unit, list, isOne) => {
    const name = unit === "second" ? "segundo" : "minuto"
    return isOne ? `en el ${name} ${list}` : `en los ${name}s ${list}`
  },
  ofEveryHour: (minutes) => `${minutes} de cada hora`,
  between: (from, to) => `de ${from} a ${to}`,
  inHours: (list) => `en las horas ${list}`,
  days: (list, isOne) => isOne ? `el día ${list}` : `los días ${list}`,
  showDay: String,
  nearestWeekday: (day) => `el día laborable más cercano al ${day}`,
  lastDay: "el último día",
  beforeLastDay: (count) => `${count} ${count === 1 ? "día" : "días"} antes del último día`,
  lastWeekday: "el último día laborable (lunes a viernes)",
  onDays: (list) => `${list} del mes`,
  nthWeekday: (weekday, nth) => `el ${["primer", "segundo", "tercer", "cuarto", "quinto"][nth - 1]} ${weekday} del mes`,
  lastOf: (weekday) => `el último ${weekday} del mes`,
  onWeekdays: (list) => `en ${list}`,
  inMonths: (list) => `en ${list}`,
  either: (days, weekdays) => `${days} o ${weekdays}`,
  once: (moment) => `una vez, el ${moment}`,
  everyOne: {
    second: "cada segundo",
    minute: "cada minuto",
    hour: "cada hora",
    day: "cada día",
    week: "cada semana"
  },
  every: (length) => `cada ${length}`
}

const fr: Wording = {
  locale: "fr",
  comma: ", ",
  range: (from, to) => `${from} à ${to}`,
  steps: (range, step) => `${range} par pas de ${step}`,
  at: (times) => `à ${times}`,
  atDaily: (times) => `tous les jours à ${times}`,
  atUnits: (unit, list, isOne) => {
    const name = unit === "second" ? "seconde" : "minute"
    return isOne ? `à la ${name} ${list}` : `aux ${name}s ${list}`
  },
  ofEveryHour: (minutes) => `${minutes} de chaque heure`,
  between: (from, to) => `de ${from} à ${to}`,
  inHours: (list) => `aux heures ${list}`,
  days: (list, isOne) => isOne ? `le jour ${list}` : `les jours ${list}`,
  showDay: String,
  nearestWeekday: (day) => `le jour ouvré le plus proche du ${day}`,
  lastDay: "le dernier jour",
  beforeLastDay: (count) => `${count} ${count === 1 ? "jour" : "jours"} avant le dernier jour`,
  lastWeekday: "le dernier jour ouvré (lundi à vendredi)",
  onDays: (list) => `${list} du mois`,
  nthWeekday: (weekday, nth) =>
    `${["premier", "deuxième", "troisième", "quatrième", "cinquième"][nth - 1]} ${weekday} du mois`,
  lastOf: (weekday) => `dernier ${weekday} du mois`,
  onWeekdays: (list) => `le ${list}`,
  inMonths: (list) => `en ${list}`,
  either: (days, weekdays) => `${days} ou ${weekdays}`,
  once: (moment) => `une fois, le ${moment}`,
  everyOne: {
    second: "chaque seconde",
    minute: "chaque minute",
    hour: "chaque heure",
    day: "chaque jour",
    week: "chaque semaine"
  },
  every: (length, unit) => `${unit === "day" ? "tous" : "toutes"} les ${length}`
}

const ja: Wording = {
  locale: "ja",
  comma: "、",
  range: (from, to) => `${from}～${to}`,
  steps: (range, step) => `${range}（${step}おき）`,
  at: (times) => times,
  atDaily: (times) => `毎日${times}`,
  atUnits: (unit, list) => `${list}${unit === "second" ? "秒" : "分"}`,
  ofEveryHour: (minutes) => `毎時${minutes}`,
  between: (from, to) => `${from}～${to}`,
  inHours: (list) => `${list}時台`,
  days: (list) => `${list}日`,
  showDay: String,
  nearestWeekday: (day) => `${day}日に最も近い平日`,
  lastDay: "末日",
  beforeLastDay: (count) => `末日の${count}日前`,
  lastWeekday: "最後の平日（月曜日～金曜日）",
  onDays: (list) => `毎月${list}`,
  nthWeekday: (weekday, nth) => `第${nth}${weekday}`,
  lastOf: (weekday) => `最終${weekday}`,
  onWeekdays: (list) => list,
  inMonths: (list) => list,
  either: (days, weekdays) => `${days}または${weekdays}`,
  once: (moment) => `1回、${moment}`,
  everyOne: { second: "毎秒", minute: "毎分", hour: "毎時", day: "毎日", week: "毎週" },
  every: (length) => `${length}ごと`
}

export const wordings: Readonly<Record<Language, Wording>> = { en, de, es, fr, ja }
