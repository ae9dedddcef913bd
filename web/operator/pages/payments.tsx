import { Fragment } from 'react'
import { StateFilter } from '../../pieces/lists.js'
import { Loaded, useLoad } from '../../pieces/loading.js'
import { Page, Section } from '../../pieces/page.js'
import { usePlace } from '../../pieces/router.js'
import { Ago } from '../../pieces/time.js'
import { ask, type PaymentEvent } from '../api.js'
import { ChangeButton } from '../change-button.js'
import { t } from '../language.js'
import { AccountLink, RowList } from '../rows.js'

export function PaymentsPage() {
  const state = usePlace().query.get('state') ?? ''
  const path = `events${state && `?${new URLSearchParams({ state })}`}`
  const list = useLoad(() => ask<{ events: readonly PaymentEvent[] }>(path), path)
  return (
    <Page title={t('console.payments.title')}>
      <StateFilter
        states={[
          ['', t('console.payments.waiting')],
          ['failed', t('console.eventState.failed')],
          ['parked', t('console.eventState.parked')],
          ['handled', t('console.eventState.handled')],
        ]}
      />
      <Section title={state === 'handled' ? t('console.payments.newest') : t('console.payments.oldest')}>
        <Loaded of={list} shape="rows">
          {({ events }) => <EventRows events={events} withAccount reload={list.reload} />}
        </Loaded>
      </Section>
    </Page>
  )
}

const STATE_LOOKS = { pending: '', failed: 'warn', parked: 'bad', handled: 'good' } as const

/** Events from the payment provider, each with a button to process it again. */
export function EventRows({
  events,
  withAccount = false,
  reload,
}: {
  readonly events: readonly PaymentEvent[]
  /** Whether they belong to several accounts. */
  readonly withAccount?: boolean
  readonly reload: () => Promise<void>
}) {
  return (
    <RowList of={events} icon="card" none={t('console.payments.none')} isLong>
      {({ id, type, state, customerId, accountId, accountName, receivedAt, effect, lastError }) => (
        <li key={id}>
          <div>
            <strong>
              <EventType>{type}</EventType>
            </strong>{' '}
            <span className={`tag ${STATE_LOOKS[state]}`}>{t(`console.eventState.${state}`)}</span>
            <br />
            <small>
              {withAccount && accountId && (
                <>
                  <AccountLink id={accountId} name={accountName ?? null} />
                  {' · '}
                </>
              )}
              <Ago at={receivedAt} /> · <code>{id}</code>
              <br />
              {lastError ?? (effect && t(`console.effect.${effect}`))}
            </small>
          </div>
          {customerId && (
            <ChangeButton
              name={t('console.payments.again')}
              label={t('console.payments.againLabel', { id })}
              question={t('console.payments.againQuestion', { type })}
              path={`events/${encodeURIComponent(id)}/replay`}
              said={t('console.payments.againSaid')}
              done={reload}
            >
              <p>{t('console.payments.againMeans')}</p>
            </ChangeButton>
          )}
        </li>
      )}
    </RowList>
  )
}

/** May break after its dots. */
function EventType({ children }: { readonly children: string }) {
  return children.split('.').map((part, index) => (
    <Fragment key={part}>
      {index > 0 && (
        <>
          .<wbr />
        </>
      )}
      {part}
    </Fragment>
  ))
}
