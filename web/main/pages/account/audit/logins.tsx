import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { Page, Section } from '../../../../pieces/page.js'
import { hostOf } from '../../../../pieces/site.js'
import { Loaded } from '../../../../pieces/waiting.js'
import { Ago } from '../../../../pieces/when.js'
import type { Login } from '../../../answers.js'
import { call } from '../../../api.js'
import { usePages } from './use-pages.js'

/** Every login with one's own e-mail address, also those that failed. */
export function LoginsPage() {
  const { list, more } = usePages(async after => {
    const { logins, next } = await call<{ logins: Login[]; next: string | null }>('GET', pathAfter(after))
    return { rows: logins, next }
  })
  return (
    <Page title="Login history">
      <Section title="Logins with your e-mail address">
        <Loaded of={list} shape="rows">
          {({ rows }) => (
            <table>
              <thead>
                <tr>
                  <th>When</th>
                  <th>Result</th>
                  <th>Site</th>
                  <th>Device</th>
                  <th>IP address</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((login, index) => (
                  <tr key={index}>
                    <td data-name="When">
                      <Ago at={login.at} />
                    </td>
                    <td data-name="Result">
                      <span className={login.outcome === 'ok' ? 'tag good' : 'tag bad'}>
                        {login.outcome === 'ok' ? 'Logged in' : 'Failed'}
                      </span>
                    </td>
                    <td data-name="Site">{login.origin ? hostOf(login.origin) : 'App'}</td>
                    <td data-name="Device">{login.device}</td>
                    <td data-name="IP address">{login.ip ?? 'unknown'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Loaded>
        {more && <ActionRow action={more}>Show older logins</ActionRow>}
      </Section>
    </Page>
  )
}

function pathAfter(after: string | null): string {
  return after ? `logins?after=${encodeURIComponent(after)}` : 'logins'
}
