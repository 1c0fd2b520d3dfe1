// Writes proto/generated/ from proto/*.proto, or with --check says whether it is fresh.
//
// protobufjs parses the files and ts-proto writes TypeScript, so no protoc is needed. 64-bit numbers are bigint, and
// names are those of the protocol.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import protobuf from "protobufjs"

const require = createRequire(import.meta.url)
// the cast: the extension has no types
const descriptor = require("protobufjs/ext/descriptor") as { readonly root: protobuf.Root }

/** What a plugin of the compiler reads and writes (google/protobuf/compiler/plugin.proto). */
const plugin = protobuf.parse(
  `syntax = "proto2";
  package google.protobuf.compiler;
  message Request {
    repeated string files = 1; optional string options = 2; repeated google.protobuf.FileDescriptorProto sources = 15;
  }
  message Response { repeated File files = 15; }
  message File { required string name = 1; required string content = 15; }`,
  descriptor.root
).root
const Request = plugin.lookupType("google.protobuf.compiler.Request")
const Response = plugin.lookupType("google.protobuf.compiler.Response")

const root = fileURLToPath(new URL("../", import.meta.url))
const sources = join(root, "proto")
const folder = join(root, "proto/generated")
const options = [
  "env=node",
  "esModuleInterop=true",
  "importSuffix=.ts",
  "forceLong=bigint",
  "useDate=false",
  "snakeToCamel=false",
  "oneof=unions-value",
  "unrecognizedEnum=false",
  "enumsAsLiterals=true",
  "outputJsonMethods=false",
  "useExactTypes=false",
  "outputServices=grpc-js"
]

interface Field {
  typeName?: string
}

interface Method {
  inputType: string
  outputType: string
}

/** As much of google/protobuf/descriptor.proto as is read here. */
interface Descriptor {
  readonly name: string
  readonly field?: ReadonlyArray<Field>
  readonly messageType?: ReadonlyArray<Descriptor>
  readonly nestedType?: ReadonlyArray<Descriptor>
  readonly service?: ReadonlyArray<{ readonly method: ReadonlyArray<Method> }>
}

interface FileDescriptor extends Descriptor {
  name: string
  readonly package: string
}

interface GeneratedFile {
  readonly name: string
  readonly content: string
}

/** protobufjs writes names of types relative to their scope; a compiler plugin expects them from the root. */
const makeNamesAbsolute = (
  schema: protobuf.Root,
  scope: string,
  { field = [], messageType = [], nestedType = [], service = [] }: Descriptor
): void => {
  const absolute = (name: string): string => {
    const parent = schema.lookup(scope)
    const found = parent instanceof protobuf.Namespace ? parent.lookup(name) : null
    if (found === null) throw new Error(`there is no ${name} in ${scope}`)
    return found.fullName
  }
  for (const one of field) if (one.typeName) one.typeName = absolute(one.typeName)
  for (const { method } of service) {
    for (const one of method) {
      Object.assign(one, { inputType: absolute(one.inputType), outputType: absolute(one.outputType) })
    }
  }
  for (const type of [...messageType, ...nestedType]) makeNamesAbsolute(schema, `${scope}.${type.name}`, type)
}

/** The names and contents of the files that ts-proto writes for one .proto file. */
const generate = (source: string): ReadonlyArray<GeneratedFile> => {
  const schema = new protobuf.Root()
  schema.loadSync(join(sources, source), { keepCase: true })
  schema.resolveAll()
  // the cast: the extension's types leave out what is read here
  const { file: files } = schema.toDescriptor("proto3") as unknown as { readonly file: ReadonlyArray<FileDescriptor> }
  for (const file of files) {
    file.name = file.package === "google.protobuf" ? "google/protobuf/timestamp.proto" : source
    makeNamesAbsolute(schema, `.${file.package}`, file)
  }
  const request = { files: files.map(({ name }) => name), options: options.join(","), sources: files }
  const { error, status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/ts-proto/build/src/plugin.js")],
    { input: Request.encode(request).finish() }
  )
  if (status !== 0) throw error ?? new Error(stderr.toString())
  // the cast: `Response` above says so
  return (Response.decode(stdout) as protobuf.Message & { readonly files: ReadonlyArray<GeneratedFile> }).files
}

const generated = new Map(
  readdirSync(sources).filter((name) => name.endsWith(".proto")).flatMap(generate).map(({ content, name }) =>
    [name, content] as const
  )
)
const pathOf = (name: string): string => join(folder, name)

if (process.argv.includes("--check")) {
  const stale = [...generated].filter(([name, content]) =>
    !existsSync(pathOf(name)) || readFileSync(pathOf(name), "utf8") !== content
  )
  if (stale.length > 0) {
    console.error(`proto/generated is stale (${stale.map(([name]) => name).join(", ")}); run \`npm run proto\``)
    process.exit(1)
  }
} else {
  rmSync(folder, { recursive: true, force: true })
  for (const [name, content] of generated) {
    mkdirSync(dirname(pathOf(name)), { recursive: true })
    writeFileSync(pathOf(name), content)
  }
}
