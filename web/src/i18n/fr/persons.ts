import type { Texts } from "../en.ts"

export const persons: Texts["persons"] = {
  program: "Système"
}
