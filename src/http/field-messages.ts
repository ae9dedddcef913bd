/**
 * What people read at a field of a form, by the name of the rule that it breaks. Fields that people do not type keep the
 * sentence of the rule itself, which is for whoever writes the client.
 */
const FOR_PEOPLE: Readonly<Record<string, string>> = {
  isEmailAddress: 'This is not an e-mail address that we can use: it has a form such as name@example.com',
  isName: 'Please write 1 to 100 characters on one line, without spaces at the ends',
  isNewPassword: 'Please choose at least 8 and at most 1,024 characters',
  isPassword: 'Please type your password',
}

/** What to say of a field that breaks these rules; the first of them counts. */
export function messageFor(property: string, constraints: Readonly<Record<string, string>> = {}): string {
  const [broken] = Object.entries(constraints)
  if (!broken) return `${property} is not as documented`
  const [rule, sentence] = broken
  return FOR_PEOPLE[rule] ?? sentence
}
