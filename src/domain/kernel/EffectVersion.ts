import { Effect, ModuleVersion } from "effect"

/**
 * Warns when the program that runs this effect has another version of `effect` than this package: services, schemas and
 * errors of two versions may not recognise each other. Two copies of one version share their global state.
 */
export const checkEffectVersion: Effect.Effect<void> = Effect.withFiberRuntime((fiber) => {
  // a fiber is an effect itself, and each effect carries the version of the copy that made it; the types do not show it
  const theirs: unknown = Reflect.get(fiber[Effect.EffectTypeId], "_V")
  const ours = ModuleVersion.getCurrentVersion()
  return theirs === ours ? Effect.void : Effect.logWarning(
    `There are two copies of effect: the program runs version ${
      String(theirs)
    }, and svc was loaded with version ${ours}. ` +
      `Layers, services and errors of the two may not fit. Install one: "npm ls effect" shows who brings which, and ` +
      `"effect": "${ours}" in the program's package.json, then "npm dedupe", makes them one.`
  )
})
