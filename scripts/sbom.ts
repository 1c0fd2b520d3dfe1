// The software bill of materials of the package (CycloneDX 1.6): the packages that its users install, from the lockfile,
// and those that the program includes, from what esbuild has bundled. Without a date, so that two builds are equal.
import { Enums, Models, Serialize, SPDX, Spec } from "@cyclonedx/cyclonedx-library"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))

/** Packages by their folder, such as `node_modules/a/node_modules/b`; the empty name is the package itself. */
interface LockedPackage {
  readonly name?: string
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Packages = Readonly<Record<string, LockedPackage>>

const readLockedPackages = (): Packages =>
  // the cast: npm wrote it
  (JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as { readonly packages: Packages }).packages

const packageAt = (packages: Packages, path: string): LockedPackage => {
  const found = packages[path]
  if (found === undefined) throw new Error(`package-lock.json has no ${path}`)
  return found
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

/** The folder of the package that `require(name)` finds in this folder. */
const resolveFrom = (packages: Packages, from: string, name: string): string | undefined => {
  for (let folder = from;; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === "") return undefined
  }
}

const dependenciesOf = (packages: Packages, path: string): ReadonlyArray<string> =>
  Object.keys({ ...packageAt(packages, path).dependencies, ...packageAt(packages, path).optionalDependencies })
    .map((name) => resolveFrom(packages, path, name))
    .filter((found) => found !== undefined)

/** The folders of all packages that these need. */
const closeOver = (packages: Packages, paths: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set(paths)
  for (const path of found) for (const one of dependenciesOf(packages, path)) found.add(one)
  return found
}

/** The folders of the packages that these files are of. */
const listBundled = (files: ReadonlyArray<string>): ReadonlySet<string> => {
  const paths = files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
  return new Set(paths.filter((path) => path !== undefined))
}

const licenseOf = (text: string) =>
  SPDX.isSupportedSpdxId(text)
    ? new Models.SpdxLicense(text)
    : / (OR|AND|WITH) /.test(text)
    ? new Models.LicenseExpression(text)
    : new Models.NamedLicense(text)

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`

const componentOf = (name: string, { integrity, license, version }: LockedPackage, type: Enums.ComponentType) => {
  const [group, plain = name] = name.startsWith("@") ? name.split("/") : [undefined, name]
  const purl = purlOf(name, version)
  const component = new Models.Component(type, plain, { bomRef: purl, group, version, purl })
  if (license !== undefined) component.licenses.add(licenseOf(license))
  const [algorithm, hash] = (integrity ?? "").split("-", 2)
  if (algorithm === "sha512" && hash !== undefined) {
    component.hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(hash, "base64").toString("hex"))
  }
  return component
}

/** Writes the bill of what is bundled from these source files, named from the project's folder. */
export const writeSbom = (bundledFiles: ReadonlyArray<string>, file: string): void => {
  const packages = readLockedPackages()
  const bundled = listBundled(bundledFiles)
  const installed = closeOver(packages, dependenciesOf(packages, ""))
  const bom = new Models.Bom()
  const own = packageAt(packages, "")
  const self = componentOf(own.name ?? "", own, Enums.ComponentType.Application)
  bom.metadata.component = self

  const components = new Map<string, Models.Component>()
  for (const path of [...new Set([...installed, ...bundled])].sort()) {
    const locked = packageAt(packages, path)
    const name = locked.name ?? nameOf(path)
    const purl = purlOf(name, locked.version)
    const component = components.get(purl) ?? componentOf(name, locked, Enums.ComponentType.Library)
    components.set(purl, component)
    if (bundled.has(path)) component.properties.add(new Models.Property("svc:bundled", "true"))
    if (installed.has(path)) component.properties.add(new Models.Property("svc:installed", "true"))
    bom.components.add(component)
  }
  const componentAt = (path: string) => {
    const { name, version } = packageAt(packages, path)
    return components.get(purlOf(name ?? nameOf(path), version))
  }
  const addNeed = (component: Models.Component | undefined, path: string) => {
    const needed = componentAt(path)
    if (needed !== undefined) component?.dependencies.add(needed.bomRef)
  }
  for (const path of [...installed, ...bundled]) {
    for (const one of dependenciesOf(packages, path)) addNeed(componentAt(path), one)
  }
  for (const path of [...dependenciesOf(packages, ""), ...bundled]) addNeed(self, path)

  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  writeFileSync(file, `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`)
}
