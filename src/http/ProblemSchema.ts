import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import type { Failure } from "../domain/kernel/Errors.ts"
import { Problem } from "../domain/kernel/Problem.ts"

/** A failure as the definition declares it: documented as a problem, and read back to its class by the derived client. */
export const problemSchema = <A extends Failure, I>(failure: Schema.Schema<A, I> & { readonly identifier: string }) =>
  Schema.transform(Problem, failure, {
    strict: false,
    decode: (body: Problem) => ({
      ...body.details,
      _tag: failure.identifier,
      code: body.code,
      detail: body.detail,
      details: body.details
    }),
    encode: () => {
      throw new Error("failures are written by src/http/ProblemResponse.ts")
    }
  }).annotations(HttpApiSchema.annotations({ status: HttpApiSchema.getStatusError(failure) })).pipe(
    HttpApiSchema.withEncoding({ kind: "Json", contentType: "application/problem+json" })
  )
