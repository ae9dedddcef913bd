import { type ReactNode, useState } from 'react'
import { MainstayError } from '../../../../client/index.js'
import { Form, type Texts } from '../../../pieces/form.js'
import type { Messages } from '../../../pieces/messages.js'
import { Failure, Success } from '../../../pieces/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { Link } from '../../../pieces/router.js'
import { callAsAnybody } from '../../api.js'

/**
 * A page that a mail leads to. Nothing happens before somebody presses its button: programs that look through mails open
 * links too. The token is taken out of the address once it was used.
 */
export function MailedPage({
  title,
  path,
  submit,
  done,
  messages,
  children,
}: {
  readonly title: string
  /** What the token is sent to, with the fields of the form. */
  readonly path: string
  readonly submit: string
  readonly done: ReactNode
  readonly messages?: Messages
  readonly children?: ReactNode
}) {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '')
  const [isDone, setIsDone] = useState(false)
  const send = async (texts: Texts) => {
    await callAsAnybody(path, { ...filled(texts), token })
    history.replaceState(null, '', location.pathname)
    setIsDone(true)
  }
  return (
    <SmallPage title={title}>
      {token === '' ? (
        <Failure error={new MainstayError(400, { code: 'INVALID_LINK' })} />
      ) : isDone ? (
        <>
          <Success>{done}</Success>
          <p className="links">
            <Link href="/login">Go to the login</Link>
          </p>
        </>
      ) : (
        <Form submit={submit} send={send} {...(messages && { messages })}>
          {children}
        </Form>
      )}
    </SmallPage>
  )
}

/** What was left empty is not sent: it is optional. */
function filled(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
}
