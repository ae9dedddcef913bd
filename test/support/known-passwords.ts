import type { Passwords } from '../sources.js'

/** The hash of each password that the people of a test file have: made once, not for each of them. */
const hashes = new Map<string, string>()
/** Whether a password is right, by the hash and the password. */
const answers = new Map<string, boolean>()

export async function knownHash(passwords: Passwords, password: string): Promise<string> {
  const hash = hashes.get(password) ?? (await passwords.hash(password, null))
  hashes.set(password, hash)
  return hash
}

/**
 * From now on a password is verified once against a hash of {@link knownHash}: argon2id takes 50 ms of a core, and
 * thousands of logins ask the same. Against all other hashes, and against none, it is verified each time.
 */
export function rememberAnswers(passwords: Passwords): void {
  const verify = passwords.verify.bind(passwords)
  passwords.verify = async (stored, password, client) => {
    if (stored === null || ![...hashes.values()].includes(stored)) return verify(stored, password, client)
    const question = `${stored} ${password}`
    const answer = answers.get(question) ?? (await verify(stored, password, client))
    answers.set(question, answer)
    return answer
  }
}
