export const secondFactor = {
  title: "Second factor",
  setUp: "Set up the second factor",
  intro:
    "A code of an authenticator app, beside the password. With it, a stolen password alone opens nothing. You need an app such as Aegis, Google Authenticator or 1Password.",
  required: (deadline: string) =>
    `A second factor is required. Set it up by ${deadline}; until then everything works as before.`,
  overdue: (deadline: string) => `A second factor was required by ${deadline}. Set it up to go on.`,
  isEnrolled: "A second factor is set up.",
  begin: "Start",
  scan: "Scan the code with the app. If the app cannot scan, type the key.",
  qrCode: "QR code for the authenticator app",
  manualKey: "Key to type",
  codeHint: "The six digits that the app shows now.",
  codes: "Recovery codes",
  codesHint:
    "Each code signs in once if the app is lost. Keep them where only you can read them. They are shown only now.",
  download: "Download",
  copyAll: "Copy all",
  continue: "Continue",
  back: "Not now",
  since: "Set up",
  codesLeft: "Recovery codes left",
  fewCodes: "create new ones",
  regenerate: "New recovery codes",
  regenerateHint: "The codes that you have stop working at once.",
  disable: "Remove the second factor",
  disableHint:
    "A password alone signs in then. Recovery codes and trusted browsers are deleted. If the policy requires a factor, you must set up another one.",
  devices: "Trusted browsers",
  noDevices: "In a trusted browser a sign-in needs no code for some time. Trust only browsers that only you use.",
  trustThis: "Trust this browser",
  thisBrowser: "this browser",
  rename: "Rename",
  renameDevice: "Rename the browser",
  deviceName: "Name",
  lastSeen: "last seen",
  expires: "expires"
}
