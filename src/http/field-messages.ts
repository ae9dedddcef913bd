/**
 * What people read at a form field, by the name of the validation rule that it breaks. Fields that people do not type into
 * keep the rule's own message, which is for the developer of the client.
 */
const FOR_PEOPLE: Readonly<Record<string, string>> = {
  isEmailAddress: 'This is not an e-mail address that we can use. It should look like name@example.com',
  isName: 'Please enter 1 to 100 characters on one line, without spaces at either end',
  isNewPassword: 'Please choose a password of 8 to 1,024 characters',
  isPassword: 'Please enter your password',
}

/** What to say of a field that breaks these rules; the first of them counts. */
export function messageFor(property: string, constraints: Readonly<Record<string, string>> = {}): string {
  const [broken] = Object.entries(constraints)
  if (!broken) return `${property} is not valid`
  const [rule, sentence] = broken
  return FOR_PEOPLE[rule] ?? sentence
}
