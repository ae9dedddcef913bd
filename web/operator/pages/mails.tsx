import { Page, Section } from '../../pieces/page.js'
import { useLoad } from '../../pieces/use-load.js'
import { Loaded } from '../../pieces/waiting.js'
import { When } from '../../pieces/when.js'
import { ask } from '../api.js'

interface FailedMail {
  readonly id: number
  readonly at: string
  readonly subject: string
  readonly to: string | null
}

export function MailsPage() {
  const list = useLoad(() => ask<{ mails: readonly FailedMail[] }>('mails'))
  return (
    <Page title="Failed mails">
      <Section title="The newest 100">
        <p>
          They were tried for about a minute and are not kept: whoever waits for one asks for it again, on the
          page that sent it.
        </p>
        <Loaded of={list} shape="rows">
          {({ mails }) => (
            <ul className="rows">
              {mails.length === 0 && <li>None.</li>}
              {mails.map(({ id, at, subject, to }) => (
                <li key={id}>
                  <div>
                    {subject}
                    <br />
                    <small>
                      {to ? `to ${to}, ` : ''}
                      <When at={at} />
                    </small>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
    </Page>
  )
}
