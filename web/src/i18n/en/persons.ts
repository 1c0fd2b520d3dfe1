export const persons = {
  program: "System"
}
