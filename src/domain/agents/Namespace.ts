import { Schema } from "effect"

/** A namespace as people set it. Empty: the agent shares its ids with others on purpose. */
export const Namespace = Schema.String.pipe(
  Schema.pattern(/^(?:[a-z0-9][a-z0-9._-]{0,39})?$/, {
    message: () => "must have at most 40 lower-case letters, digits, dots, hyphens and underscores, or be empty"
  })
)
