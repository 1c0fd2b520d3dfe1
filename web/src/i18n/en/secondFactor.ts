import { common } from "./common.ts"

export const secondFactor = {
  title: common.secondFactor,
  setUp: "Set up the second factor",
  intro:
    "A code from an authenticator app, in addition to the password. A stolen password alone then opens nothing. You need an app such as Aegis, Google Authenticator or 1Password.",
  required: (deadline: string) =>
    `A second factor is required. Set it up by ${deadline}; until then everything works as before.`,
  overdue: (deadline: string) => `A second factor was required by ${deadline}. Set it up to continue.`,
  isEnrolled: "A second factor is set up.",
  begin: "Start",
  scan: "Scan the code with the app. If the app cannot scan, type the key.",
  qrCode: "QR code for the authenticator app",
  manualKey: "Key to type",
  codeHint: "The six digits that the app shows.",
  codes: "Recovery codes",
  codesHint:
    "If you lose the app, each code signs you in once. Keep the codes where only you can read them. They are shown only once.",
  download: common.download,
  copyAll: "Copy all",
  continue: common.continue,
  back: "Not now",
  since: "Set up",
  codesLeft: "Recovery codes left",
  fewCodes: "create new ones",
  regenerate: "New recovery codes",
  regenerateHint: "Your current codes stop working at once.",
  disable: "Remove the second factor",
  disableHint:
    "A password alone then signs you in. Recovery codes and trusted browsers are deleted. If the server requires a second factor, you must set up another one.",
  devices: "Trusted browsers",
  noDevices: "A trusted browser asks for no code for some time after a sign-in. Trust only browsers that only you use.",
  trustThis: "Trust this browser",
  thisBrowser: "this browser",
  rename: "Rename",
  renameDevice: "Rename the browser",
  deviceName: common.name,
  lastSeen: "last seen",
  expires: "expires"
}
