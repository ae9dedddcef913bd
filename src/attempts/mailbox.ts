/**
 * What mails to an address are counted by. Most mail servers deliver `rosa+anything@` to rosa, so that all of these are
 * one mailbox. Only for counting: users of both addresses are two users.
 */
export function mailboxOf(email: string): string {
  return email.replace(/\+[^@]*(?=@)/, '')
}
