import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const persons: Texts["persons"] = {
  program: common.system
}
