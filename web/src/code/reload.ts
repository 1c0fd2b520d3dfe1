import { connection, ownBuild } from "../api/connection.ts"

/** The build that this tab was reloaded from: it reloads by itself once, because the same build may come again. */
const leftBuildKey = "svc.leftBuild"

/** Whether the page may still reload by itself. */
export const canReloadAlone = (): boolean => sessionStorage.getItem(leftBuildKey) !== ownBuild

/** Without an answer of the server the browser would replace the page by one of its own. */
export const reload = async (): Promise<void> => {
  if ((await connection.readBuild()) === null) return
  sessionStorage.setItem(leftBuildKey, ownBuild ?? "")
  location.reload()
}
