import { type Browser, chromium } from "playwright-core"
import { debianProgram } from "./debianProgram.ts"

/**
 * Debian's Chromium without a window. Its own sandbox needs privileges that containers lack; it opens this machine only. A
 * graphics processor that is emulated costs more than to draw without one.
 */
export const launchChromium = async (): Promise<Browser> => {
  const { env, path } = await debianProgram("chromium-headless-shell")
  return chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-gpu"],
    env: { PATH: process.env.PATH ?? "", ...env }
  })
}
