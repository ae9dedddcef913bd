import { ActionRow } from '../../../pieces/forms.js'
import { Loaded, usePages } from '../../../pieces/loading.js'
import { Page, Section } from '../../../pieces/page.js'
import { deviceWords } from '../../../pieces/people.js'
import { hostOf } from '../../../pieces/site.js'
import { t } from '../../../pieces/t.js'
import { Ago } from '../../../pieces/time.js'
import { call, type Login } from '../../api.js'

/** Every login with one's own e-mail address, including failed ones. */
export function LoginsPage() {
  const { list, more } = usePages(async after => {
    const { logins, next } = await call<{ logins: Login[]; next: string | null }>('GET', pathAfter(after))
    return { rows: logins, next }
  })
  return (
    <Page title={t('logins.title')} lead={t('logins.lead')}>
      <Section title={t('logins.heading')}>
        <Loaded of={list} shape="rows">
          {({ rows }) => (
            <table>
              <thead>
                <tr>
                  <th>{t('audit.when')}</th>
                  <th>{t('logins.result')}</th>
                  <th>{t('logins.site')}</th>
                  <th>{t('audit.device')}</th>
                  <th>{t('audit.ip')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((login, index) => (
                  <tr key={index}>
                    <td data-name={t('audit.when')}>
                      <Ago at={login.at} />
                    </td>
                    <td data-name={t('logins.result')}>
                      <span className={login.outcome === 'ok' ? 'tag good' : 'tag bad'}>
                        {login.outcome === 'ok' ? t('logins.ok') : t('audit.outcome.failed')}
                      </span>
                    </td>
                    <td data-name={t('logins.site')}>
                      {login.origin ? hostOf(login.origin) : t('session.app')}
                    </td>
                    <td data-name={t('audit.device')}>{deviceWords(login.device)}</td>
                    <td data-name={t('audit.ip')}>{login.ip ?? t('logins.unknownIp')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Loaded>
        {more && <ActionRow action={more}>{t('logins.older')}</ActionRow>}
      </Section>
    </Page>
  )
}

function pathAfter(after: string | null): string {
  return after ? `logins?after=${encodeURIComponent(after)}` : 'logins'
}
