/** Most mail servers deliver `rosa+anything@` to rosa, so mails to both count towards one mailbox. */
export function mailboxOf(email: string): string {
  return email.replace(/\+[^@]*(?=@)/, '')
}
