/** Sends mails; call it after the commit. */
export type SendMails = () => void

export const NO_MAILS: SendMails = () => {}

/** All of these, in this order. */
export function inOrder(...sends: readonly SendMails[]): SendMails {
  return () => {
    for (const send of sends) send()
  }
}
