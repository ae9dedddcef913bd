import { ActionRow } from '../../pieces/forms.js'
import { Loaded, usePages } from '../../pieces/loading.js'
import { Page, Section } from '../../pieces/page.js'
import { Link } from '../../pieces/router.js'
import { Ago, When } from '../../pieces/time.js'
import { ask, type FailedMail } from '../api.js'
import { ChangeButton } from '../change-button.js'
import { T, t } from '../language.js'
import { RowList } from '../rows.js'

interface MailsPart {
  readonly mails: readonly FailedMail[]
  readonly next: string | null
}

/** Mails that could not be sent, each with a button to resend it. */
export function MailsPage() {
  const { list, more } = usePages(async after => {
    const query = after ? `?${new URLSearchParams({ after })}` : ''
    const { mails, next } = await ask<MailsPart>(`mails${query}`)
    return { rows: mails, next }
  })
  return (
    <Page title={t('console.mails.title')}>
      <Section title={t('console.mails.heading')}>
        <p>{t('console.mails.means')}</p>
        <Loaded of={list} shape="rows">
          {({ rows }) => (
            <RowList of={rows} icon="mail" none={t('console.mails.none')} isLong>
              {mail => <MailRow key={mail.id} mail={mail} reload={list.reload} />}
            </RowList>
          )}
        </Loaded>
        {more && <ActionRow action={more}>{t('console.more')}</ActionRow>}
      </Section>
    </Page>
  )
}

function MailRow({ mail, reload }: { readonly mail: FailedMail; readonly reload: () => Promise<void> }) {
  const { id, subject, to, userId, failedAt, expiresAt, lastError, isLinkGood } = mail
  return (
    <li>
      <div>
        <strong>{subject}</strong> {!isLinkGood && <span className="tag">{t('console.mails.linkGone')}</span>}
        <br />
        <small>
          {userId ? <Link href={`/users/${userId}`}>{to}</Link> : to} · <Ago at={failedAt} /> ·{' '}
          <T id="console.mails.until" when={<When at={expiresAt} />} />
          <br />
          {lastError}
        </small>
      </div>
      {isLinkGood && (
        <ChangeButton
          name={t('console.mails.again')}
          label={t('console.mails.againLabel', { subject, to })}
          question={t('console.mails.againQuestion', { subject })}
          path={`mails/${id}/resend`}
          said={t('console.mails.sent', { to })}
          messages={{
            INVALID_LINK: t('console.mails.linkGoneLong'),
            MAIL_UNAVAILABLE: t('console.mails.failedAgain'),
          }}
          done={reload}
        >
          <p>{t('console.mails.againMeans', { to })}</p>
        </ChangeButton>
      )}
    </li>
  )
}
