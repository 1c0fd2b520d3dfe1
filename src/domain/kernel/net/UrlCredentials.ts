/** The user info of a URL, between `//` and the `@` before the host: a user name, a password, or a token. */
const userInfoPattern = /(:\/\/)[^\s/?#]*@/g

/** The text with the credentials of each URL in it masked; host, path and the rest stay. */
export const maskCredentials = (text: string): string => text.replace(userInfoPattern, "$1***@")

/** Whether a URL has a user name or a password in it. */
export const hasCredentials = (text: string): boolean => text.search(userInfoPattern) !== -1
