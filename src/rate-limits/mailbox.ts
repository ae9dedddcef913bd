/**
 * What mails to an address are counted by. Most mail servers deliver `rosa+anything@` to rosa, so these count
 * as one mailbox. Only for counting; the addresses are different users.
 */
export function mailboxOf(email: string): string {
  return email.replace(/\+[^@]*(?=@)/, '')
}
