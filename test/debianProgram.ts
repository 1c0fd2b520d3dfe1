import { execFile } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

/** Programs of Debian that tests run against the real brain. */
const programs = {
  "chromium-headless-shell": {
    packages: ["chromium-headless-shell"],
    path: "usr/lib/chromium/chromium-headless-shell"
  },
  nginx: { packages: ["nginx"], path: "usr/sbin/nginx" },
  caddy: { packages: ["caddy"], path: "usr/bin/caddy" },
  prometheus: { packages: ["prometheus"], path: "usr/bin/prometheus" },
  tini: { packages: ["tini"], path: "usr/bin/tini" },
  promtool: { packages: ["prometheus"], path: "usr/bin/promtool" }
} as const

export type DebianProgram = keyof typeof programs

export interface InstalledProgram {
  readonly path: string
  /** Where the program finds the shared libraries that came with it. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Downloads the packages with all that they depend on, and unpacks them into a folder, which needs no root. For apt this
 * machine has no package installed: a program finds its data beside itself, also where half of its packages are there.
 * Only the C library is the machine's own, because it must fit the machine's loader. apt keeps lists of its own in the
 * folder, because a container's image has none. One process of the tests does it, and the next ones find the folder.
 */
const unpack = `
  [ -d "$1" ] && exit
  rm -rf "$1.new"
  mkdir -p "$1.new/apt/lists/partial" "$1.new/apt/archives/partial"
  cd "$1.new/apt"
  : > status
  apt() {
    apt-get -qq -o Dir::State::Lists="$PWD/lists" -o Dir::State::status="$PWD/status" -o Dir::Cache="$PWD" \\
      -o Dir::Cache::archives="$PWD/archives" -o Debug::NoLocking=true -o APT::Sandbox::User= -o Acquire::Retries=3 \\
      -o Acquire::http::Timeout=20 -o Acquire::Languages=none "$@" >&2
  }
  folder=$1
  shift
  apt update
  apt install --download-only --no-install-recommends -y "$@"
  rm -f archives/libc6_*.deb
  for package in archives/*.deb; do dpkg -x "$package" ..; done
  rm -rf "$folder.new/apt"
  mv "$folder.new" "$folder"`

const isExecutable = (path: string) => access(path, constants.X_OK).then(() => true, () => false)

const download = async (name: DebianProgram): Promise<InstalledProgram> => {
  const { packages, path } = programs[name]
  const folder = join(import.meta.dirname, "../node_modules/.cache/svc-debian", packages[0])
  const run = promisify(execFile)
  await run("mkdir", ["-p", join(folder, "..")])
  await run("flock", [`${folder}.lock`, "sh", "-euc", unpack, "sh", folder, ...packages], { timeout: 180_000 })
  // some are in a folder of their package, such as pulseaudio/libpulsecommon-16.1.so
  const { stdout } = await run("find", [folder, "-name", "lib*.so*", "-printf", "%h\n"])
  return { path: join(folder, path), env: { LD_LIBRARY_PATH: [...new Set(stdout.trim().split("\n"))].join(":") } }
}

const find = async (name: DebianProgram): Promise<InstalledProgram> => {
  for (const folder of [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"]) {
    const path = join(folder, name)
    if (await isExecutable(path)) return { path, env: {} }
  }
  return download(name)
}

const found = new Map<DebianProgram, Promise<InstalledProgram>>()

/** The program of this machine, else Debian's package of it, unpacked into `node_modules/.cache`. */
export const debianProgram = (name: DebianProgram): Promise<InstalledProgram> => {
  const known = found.get(name) ?? find(name)
  found.set(name, known)
  return known
}
