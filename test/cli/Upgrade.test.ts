import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { inject } from "vitest"
import { version } from "../../src/domain/kernel/Version.ts"
import { temporaryHome } from "../databases.ts"
import { makeReleaseFeed } from "../releaseFeed.ts"

const bin = { svc: "./dist/cli/svc.js", "svc-scheduler": "./dist/cli/svc.js" }

const write = (folder: string, manifest: object) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
}

/** A version that prints its version, and whose install scripts leave a mark; packed by npm. */
const pack = (folder: string, release: string, mark: string, env: Readonly<Record<string, string>>) => {
  const script = `touch ${mark}`
  write(folder, {
    name: "svc",
    version: release,
    bin,
    scripts: { preinstall: script, install: script, postinstall: script }
  })
  mkdirSync(join(folder, "dist/cli"), { recursive: true })
  writeFileSync(join(folder, "dist/cli/svc.js"), `#!/usr/bin/env node\nconsole.log('${release}')\n`)
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts"], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...env }
  })
  return join(folder, `svc-${release}.tgz`)
}

/** The built program as npm would have installed it; its native packages are those of the tests. */
const placeProgram = (nodeModules: string) => {
  const folder = join(nodeModules, "svc")
  write(folder, { name: "svc", version, type: "module", bin })
  cpSync(dirname(inject("program")), join(folder, "dist/cli"), { recursive: true })
  return join(folder, "dist/cli/svc.js")
}

const world = Effect.gen(function*() {
  const home = yield* temporaryHome
  const feed = yield* makeReleaseFeed
  const npm = {
    HOME: home,
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_fetch_retries: "0",
    npm_config_cache: join(home, "npm-cache")
  }
  const makeKey = (name: string) => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const file = join(home, name)
    writeFileSync(file, privateKey.export({ format: "pem", type: "pkcs8" }))
    return { file, public: publicKey.export({ format: "jwk" }).x ?? "" }
  }
  const ownKey = makeKey("own.pem")
  const mark = join(home, "an-install-script-ran")
  /** Publishes a release as docs/operations.md describes it; the document that was printed. */
  const publish = (release: string, key = ownKey) => {
    const tarball = pack(join(home, `release-${release}`), release, mark, npm)
    const signed = spawnSync(process.execPath, ["tools/sign-release.mjs", "--key", key.file, tarball], {
      encoding: "utf8"
    })
    assert.strictEqual(signed.stderr.trim(), key.public)
    feed.packages.set(basename(tarball), tarball)
    feed.document = signed.stdout
    return { tarball, document: JSON.parse(signed.stdout) as Record<string, string> } // what the program prints
  }
  const run = (program: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
    // not spawnSync: the feed runs in this process
    Effect.async<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resume) => {
      execFile(
        process.execPath,
        [program, "upgrade", ...args],
        { env: { PATH: process.env.PATH ?? "", SVC_HOME: join(home, "svc"), ...npm, ...more } },
        (error, stdout, stderr) =>
          resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
      )
    })
  const configured = { SVC_RELEASES_URL: feed.url, SVC_RELEASE_KEY: ownKey.public }
  return {
    configured,
    feed,
    home,
    makeKey,
    mark,
    ownKey,
    publish,
    run,
    upgrade: (program: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
      run(program, args, { ...configured, ...more })
  }
})

const versionOf = (program: string) => spawnSync(process.execPath, [program, "version"], { encoding: "utf8" }).stdout

describe("svc upgrade", () => {
  it.scopedLive("without a release feed calls nothing, knows no newer version, and installs nothing", () =>
    Effect.gen(function*() {
      const { feed, run } = yield* world
      const clone = inject("program") // within this repository
      const checked = yield* run(clone, ["--json"])
      assert.deepStrictEqual(JSON.parse(checked.stdout), {
        installed: version,
        latest: null,
        is_outdated: null,
        installation: "clone",
        applied: false
      })
      assert.match((yield* run(clone, [])).stdout, /is installed\. No release feed is configured \(SVC_RELEASES_URL\)/)
      const applied = yield* run(clone, ["--apply", "--yes"])
      assert.strictEqual(applied.code, 1)
      assert.match(applied.stderr, /^svc: nothing was changed: No release feed is configured/)
      assert.deepStrictEqual(feed.requests, [])
    }))

  it.scopedLive("installs a signed release in the project where npm installed it; no install script runs", () =>
    Effect.gen(function*() {
      const { home, mark, ownKey, publish, upgrade } = yield* world
      publish("9.9.9")
      const project = join(home, "project")
      write(project, { name: "shop", version: "1.0.0", dependencies: { svc: `^${version}` } })
      const program = placeProgram(join(project, "node_modules"))

      const checked = yield* upgrade(program, ["--json"])
      assert.strictEqual(checked.code, 0, checked.stderr)
      assert.deepStrictEqual(JSON.parse(checked.stdout), {
        installed: version,
        latest: "9.9.9",
        is_outdated: true,
        installation: "project",
        applied: false
      })
      const advice =
        /^svc 9\.9\.9 is available; .*To install it: npm install http:\/\/127\.0\.0\.1:\d+\/svc-9\.9\.9\.tgz\n$/
      assert.match((yield* upgrade(program, [])).stdout, advice)
      const container = yield* upgrade(program, ["--apply", "--yes"], { SVC_CONTAINER: "true" })
      assert.strictEqual(container.code, 1)
      assert.match(container.stderr, /^svc: svc 9\.9\.9 is available, and nothing was changed: svc runs in a container/)

      const unconfirmed = yield* upgrade(program, ["--apply"])
      assert.strictEqual(unconfirmed.code, 2)
      assert.include(unconfirmed.stderr, "Install svc 9.9.9 in place of")
      assert.include(unconfirmed.stderr, `Its publisher is the release key ${ownKey.public}`)
      assert.include(unconfirmed.stderr, "from the registry http://127.0.0.1:9/.")
      const withPassword = yield* upgrade(program, ["--apply"], {
        npm_config_registry: "http://me:secret@127.0.0.1:9/"
      })
      assert.include(withPassword.stderr, "from the registry of npm's configuration, whose address has credentials.")
      assert.strictEqual(versionOf(program), `${version}\n`)

      const applied = yield* upgrade(program, ["--apply", "--yes"])
      assert.strictEqual(applied.code, 0, applied.stderr)
      assert.match(applied.stdout, /^installed svc 9\.9\.9 in place of [\d.]+\. Restart every brain/)
      assert.strictEqual(versionOf(program), "9.9.9\n")
      assert.isFalse(existsSync(mark))
      const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
      assert.deepStrictEqual(dependencies, { svc: "file:svc-9.9.9.tgz" })
      assert.isTrue(existsSync(join(project, "svc-9.9.9.tgz")))
    }))

  it.scopedLive("installs it globally where it was installed globally", () =>
    Effect.gen(function*() {
      const { home, mark, publish, upgrade } = yield* world
      publish("9.9.9")
      const prefix = join(home, "prefix")
      const program = placeProgram(join(prefix, "lib/node_modules"))
      mkdirSync(join(prefix, "bin"))
      symlinkSync("../lib/node_modules/svc/dist/cli/svc.js", join(prefix, "bin/svc"))
      const global = { npm_config_prefix: prefix }
      const applied = yield* upgrade(join(prefix, "bin/svc"), ["--apply", "--json", "--yes"], global)
      assert.strictEqual(applied.code, 0, applied.stderr)
      assert.deepInclude(JSON.parse(applied.stdout), { installation: "global", applied: true })
      assert.strictEqual(versionOf(program), "9.9.9\n")
      assert.isFalse(existsSync(mark))
    }))

  it.scopedLive("installs nothing that the release key did not sign, and says why", () =>
    Effect.gen(function*() {
      const { configured, feed, home, makeKey, mark, ownKey, publish, run, upgrade } = yield* world
      const project = join(home, "project")
      write(project, { name: "shop", version: "1.0.0", dependencies: { svc: `^${version}` } })
      const program = placeProgram(join(project, "node_modules"))
      const assertRefused = (why: RegExp, settings: Readonly<Record<string, string>> = configured) =>
        Effect.map(run(program, ["--apply", "--yes"], settings), ({ code, stderr }) => {
          assert.strictEqual(code, 1, stderr)
          assert.match(stderr, why)
          assert.strictEqual(versionOf(program), `${version}\n`)
          assert.isFalse(existsSync(mark))
        })

      const genuine = publish("9.9.9")
      yield* assertRefused(/no release key is built in or configured \(SVC_RELEASE_KEY\), so nothing proves who made/, {
        SVC_RELEASES_URL: feed.url
      })
      const unsigned = new RegExp(`has no signature of svc \\S+ by the release key ${ownKey.public}`)
      const { signature: _, ...withoutSignature } = genuine.document
      for (const document of [withoutSignature, { ...genuine.document, version: "10.0.0" }]) {
        feed.document = JSON.stringify(document)
        yield* assertRefused(unsigned)
      }
      publish("9.9.8", makeKey("another.pem"))
      yield* assertRefused(unsigned)

      feed.document = JSON.stringify(genuine.document)
      appendFileSync(genuine.tarball, "more")
      yield* assertRefused(/is not the one that was signed; nothing of it has run/)
      feed.packages.clear()
      yield* assertRefused(/the package cannot be read: its server answered 404/)
      feed.document = "<html>"
      const hostile = yield* upgrade(program, [])
      assert.strictEqual(hostile.code, 1)
      assert.match(hostile.stderr, /^svc: the answer of SVC_RELEASES_URL is not a release of svc\n$/)
      const offline = yield* upgrade(program, [], { SVC_RELEASES_URL: "http://127.0.0.1:9/svc.json" })
      assert.match(offline.stderr, /^svc: the release feed cannot be read: its server does not answer\n$/)
    }))

  it.scopedLive("changes nothing in a clone, elsewhere, or when nothing is newer", () =>
    Effect.gen(function*() {
      const { home, publish, upgrade } = yield* world
      publish(version)
      const clone = inject("program")
      assert.strictEqual((yield* upgrade(clone, [])).stdout, `svc ${version} is the newest version\n`)
      assert.strictEqual((yield* upgrade(clone, ["--apply"])).code, 0)
      publish("9.9.9")
      const refusal = yield* upgrade(clone, ["--apply", "--yes"])
      assert.strictEqual(refusal.code, 1)
      assert.match(refusal.stderr, /nothing was changed: svc runs from a clone: git pull/)
      const foreign = placeProgram(join(home, "elsewhere/node_modules"))
      writeFileSync(join(home, "elsewhere/pnpm-lock.yaml"), "")
      write(join(home, "elsewhere"), { dependencies: { svc: "*" } })
      assert.match((yield* upgrade(foreign, ["--apply", "--yes"])).stderr, /upgrade it the way it was installed/)
    }))
})
