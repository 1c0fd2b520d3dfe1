import { common } from "./common.ts"

export const persons = {
  program: common.system
}
