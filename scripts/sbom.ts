// The software bill of materials of the package (CycloneDX 1.6): the packages that its users install, from the lockfile,
// and those that the program includes, from what esbuild has bundled. Without a date, so that two builds are equal.
import { Enums, Models, Serialize, SPDX, Spec } from "@cyclonedx/cyclonedx-library"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))

/** Packages by their folder, such as `node_modules/a/node_modules/b`; the empty name is the package itself. */
const readLockedPackages = () => JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")).packages

const nameOf = (path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)

/** The folder of the package that `require(name)` finds in this folder. */
const resolveFrom = (packages, from, name) => {
  for (let at = from;; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const path = `${at === "" ? "" : `${at}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (at === "") return undefined
  }
}

const dependenciesOf = (packages, path) =>
  Object.keys({ ...packages[path].dependencies, ...packages[path].optionalDependencies })
    .map((name) => resolveFrom(packages, path, name))
    .filter((found) => found !== undefined)

/** The folders of all packages that these need. */
const closeOver = (packages, paths) => {
  const found = new Set(paths)
  for (const path of found) for (const one of dependenciesOf(packages, path)) found.add(one)
  return found
}

/** The folders of the packages that these files are of. */
const listBundled = (files) => {
  const paths = files.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
  return new Set(paths.filter((path) => path !== undefined))
}

const licenseOf = (text) =>
  SPDX.isSupportedSpdxId(text)
    ? new Models.SpdxLicense(text)
    : / (OR|AND|WITH) /.test(text)
    ? new Models.LicenseExpression(text)
    : new Models.NamedLicense(text)

const purlOf = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`

const componentOf = (name, { integrity, license, version }, type) => {
  const [group, plain] = name.startsWith("@") ? name.split("/") : [undefined, name]
  const purl = purlOf(name, version)
  const component = new Models.Component(type, plain, { bomRef: purl, group, version, purl })
  if (license !== undefined) component.licenses.add(licenseOf(license))
  const [algorithm, hash] = (integrity ?? "").split("-", 2)
  if (algorithm === "sha512") {
    component.hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(hash, "base64").toString("hex"))
  }
  return component
}

/** Writes the bill of what is bundled from these source files, named from the project's folder. */
export const writeSbom = (bundledFiles, file) => {
  const packages = readLockedPackages()
  const bundled = listBundled(bundledFiles)
  const installed = closeOver(packages, dependenciesOf(packages, ""))
  const bom = new Models.Bom()
  const self = componentOf(packages[""].name, packages[""], Enums.ComponentType.Application)
  bom.metadata.component = self

  const components = new Map()
  for (const path of [...new Set([...installed, ...bundled])].sort()) {
    const name = packages[path].name ?? nameOf(path)
    const component = components.get(purlOf(name, packages[path].version)) ??
      componentOf(name, packages[path], Enums.ComponentType.Library)
    components.set(component.purl, component)
    if (bundled.has(path)) component.properties.add(new Models.Property("svc:bundled", "true"))
    if (installed.has(path)) component.properties.add(new Models.Property("svc:installed", "true"))
    bom.components.add(component)
  }
  const componentAt = (path) => components.get(purlOf(packages[path].name ?? nameOf(path), packages[path].version))
  for (const path of [...installed, ...bundled]) {
    for (const one of dependenciesOf(packages, path)) {
      const needed = componentAt(one)
      if (needed !== undefined) componentAt(path).dependencies.add(needed.bomRef)
    }
  }
  for (const path of [...dependenciesOf(packages, ""), ...bundled]) self.dependencies.add(componentAt(path).bomRef)

  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  writeFileSync(file, `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`)
}
