import { Schema } from "effect"
import { omitNullTerms } from "../../../domain/kernel/Query.ts"

/** How values are kept in both databases: booleans as INTEGER 0 or 1, structures as JSON text. */
export const BooleanColumn = Schema.transform(Schema.Number, Schema.Boolean, {
  strict: true,
  decode: (stored) => stored === 1,
  encode: (flag) => (flag ? 1 : 0)
})

export const JsonColumn = <A, I>(schema: Schema.Schema<A, I>) => Schema.parseJson(schema)

/**
 * The terms of a job's tasks, those that were given. With `task_ids` they are in an array: releases that do not know
 * this term ignore it in an object, and would act on all tasks. They cannot read the array, and leave the job to a
 * newer replica.
 */
export const TermsColumn = <A, I extends Readonly<Record<string, unknown>>>(terms: Schema.Schema<A, I>) =>
  Schema.transform(Schema.parseJson(), terms, {
    strict: false,
    decode: (stored) => (Array.isArray(stored) ? stored[0] : stored),
    encode: (all) => {
      const given = omitNullTerms(all)
      return "task_ids" in given ? [given] : given
    }
  })
