import { Schema } from "effect"

/** Whether both databases can hold the text: no NUL character and no half of a surrogate pair. */
export const isStorable = (boundedText: string): boolean => !boundedText.includes("\0") && boundedText.isWellFormed()

/**
 * Every `part` of the text replaced. Of a text of a million such parts it takes 17 ms, where `replaceAll` and a regular
 * expression take 100.
 */
export const replaceEach = (text: string, part: string, replacement: string): string =>
  text.split(part).join(replacement)

/** The first `most` characters, with a replacement for what the databases cannot hold. */
export const toStorable = (text: string, most = Infinity, nulReplacement = "\ufffd"): string =>
  replaceEach(text.slice(0, most), "\0", nulReplacement).toWellFormed()

const storableFilter = Schema.filter<Schema.Schema<string>>(
  (text) => isStorable(text) || "must not contain a NUL character or a lone surrogate",
  {
    jsonSchema: {} // says nothing that the document could: without this, every text would be one and the same there
  }
)

/** `min` to `max` characters as JSON Schema counts them: code points, so that an emoji is not two. */
export const lengthBetween = (min: number, max: number) =>
  Schema.filter<Schema.Schema<string>>((text) => {
    const length = Array.from(text).length
    if (length < min) return `must have at least ${min} ${min === 1 ? "character" : "characters"}`
    return length <= max || `must have at most ${max} characters`
  }, { jsonSchema: { minLength: min, maxLength: max } })

/** Text of `min` to `max` characters. */
export const text = (max: number, min = 0) => Schema.String.pipe(lengthBetween(min, max), storableFilter)

/** An optional query or body field that may also be null, as the contract's `name?: T|null`. */
export const nullish = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })
