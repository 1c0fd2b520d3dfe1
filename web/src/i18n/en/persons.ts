export const persons = {
  program: "svc itself"
}
