import { Schema } from "effect"
import { pathParameter } from "./Docs/Parameters.ts"

export const slug = pathParameter("slug", Schema.String, "The project's slug.", "shop")
