/**
 * The bash script of `--completions bash` as it must be. As the library writes it, the options of a command below
 * another are never found: it remembers `svc__tasks` and looks for `svc,tasks`, and a dash in a name is doubled to `__`.
 * Also a flag, which takes no value, is followed by nothing, and the values of a choice are one word.
 */
export const repairBashScript = (script: string): string =>
  script
    .replace(/^( +)svc,(\S+)\)$/gm, (_, indent: string, path: string) => {
      const words = path.split(",")
      const last = words.pop()?.replaceAll("__", "-") ?? ""
      return `${indent}${["svc", ...words].join("__")},${last})`
    })
    .replace(/^ +--?[a-z-]+\)\n +COMPREPLY=\( "\$\{cur\}" \)\n +return 0\n +;;\n/gm, "")
    .replace(/compgen -W "[\w,-]+"/g, (values) => values.replaceAll(",", " "))
