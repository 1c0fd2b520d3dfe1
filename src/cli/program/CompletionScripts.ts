/** The word with which the scripts ask the program; no command that people type. */
export const completeWord = "__complete"

export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

/** `svc-scheduler` as the name of a function. */
const functionOf = (program: string): string => `_${program.replaceAll("-", "_")}`

/**
 * Bash splits words at characters such as `:`, `=` and `@`, which names have, so the program gets the line and bash's own word,
 * and prints what replaces that. The names come from others: none is ever expanded by the shell (`compgen -W` would).
 */
const bash = (program: string): string =>
  `# completion of ${program} for bash
${functionOf(program)}() {
  local line value
  COMPREPLY=()
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    case \${COMP_WORDS[COMP_CWORD]} in
      [\\"\\']*) [[ $value == *[^[:alnum:]\\ ._:/@%+=,-]* ]] || COMPREPLY+=("$value") ;;
      *) printf -v value %q "$value" && COMPREPLY+=("$value") ;;
    esac
  done < <(${program} ${completeWord} bash "$2" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -o default -F ${functionOf(program)} ${program}`

const zsh = (program: string): string =>
  `#compdef ${program}
# completion of ${program} for zsh
${functionOf(program)}() {
  local line
  local -a values lines
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    lines+=("\${line/$'\\t'/  -- }")
  done < <(${program} ${completeWord} words "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#values} )); then
    compadd -l -d lines -a values
  else
    _files
  fi
}
if [[ \${funcstack[1]} == ${functionOf(program)} ]]; then
  ${functionOf(program)} "$@"
else
  compdef ${functionOf(program)} ${program}
fi`

const fish = (program: string): string =>
  `# completion of ${program} for fish
function _${functionOf(program)}
    set -l found (${program} ${completeWord} words (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c ${program} -f -a '(_${functionOf(program)})'`

const scripts: Readonly<Record<Shell, (program: string) => string>> = { bash, zsh, fish }

/** The script that a shell loads to complete the program's command line. */
export const completionScript = (program: string, shell: Shell): string => scripts[shell](program)

/** The words of a line of a shell, without quotes and backslashes; the last one as far as it is typed. */
export const splitLine = (line: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  let word: string | null = null
  for (let index = 0, quote = ""; index < line.length; index++) {
    const character = line[index] ?? ""
    if (quote !== "" && character === quote) quote = ""
    else if (character === "\\" && quote !== "'") word = (word ?? "") + (line[++index] ?? "")
    else if (quote === "" && (character === "\"" || character === "'")) {
      quote = character
      word ??= ""
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? "") + character
  }
  return [...words, word ?? ""]
}
