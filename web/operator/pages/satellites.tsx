import { SearchField } from '../../pieces/controls.js'
import { ActionRow } from '../../pieces/forms.js'
import { StateFilter } from '../../pieces/lists.js'
import { Loaded, usePages } from '../../pieces/loading.js'
import { Page, Section } from '../../pieces/page.js'
import { go, usePlace } from '../../pieces/router.js'
import { Ago, Day } from '../../pieces/time.js'
import { ask, type Satellite } from '../api.js'
import { ChangeButton } from '../change-button.js'
import { T, t } from '../language.js'
import { AccountLink, RowList } from '../rows.js'

interface SatellitesPart {
  readonly satellites: readonly Satellite[]
  readonly next: string | null
}

/** The search is in the address, so that a reload or going back restores it. */
export function SatellitesPage() {
  const { query } = usePlace()
  const filter = new URLSearchParams([...query].filter(([name]) => name === 'state' || name === 'origin'))
  const { list, more } = usePages(async after => {
    const asked = new URLSearchParams([...filter, ...(after ? [['after', after]] : [])])
    const { satellites, next } = await ask<SatellitesPart>(`satellites?${asked}`)
    return { rows: satellites, next }
  }, filter.toString())
  const isFiltered = filter.size > 0
  return (
    <Page title={t('console.satellites.title')}>
      <StateFilter
        states={[
          ['', t('console.satellites.all')],
          ['pending', t('console.satelliteState.pending')],
          ['active', t('console.satelliteState.active')],
          ['suspended', t('console.satelliteState.suspended')],
        ]}
      />
      <Section title={t('console.satellites.newest')}>
        <div className="toolbar">
          <SearchField
            label={t('console.satellites.search')}
            initial={query.get('origin') ?? ''}
            search={findByOrigin}
          />
        </div>
        <Loaded of={list} shape="rows">
          {({ rows }) => (
            <SatelliteRows
              satellites={rows}
              withAccount
              none={isFiltered ? t('console.satellites.noMatch') : t('console.satellites.none')}
              reload={list.reload}
            />
          )}
        </Loaded>
        {more && <ActionRow action={more}>{t('console.more')}</ActionRow>}
      </Section>
    </Page>
  )
}

/** Reads the current address, because typing arrives later. */
function findByOrigin(origin: string): void {
  const query = new URLSearchParams(location.search)
  if ((query.get('origin') ?? '') === origin) return
  if (origin) query.set('origin', origin)
  else query.delete('origin')
  go(query.size > 0 ? `/satellites?${query}` : '/satellites', { replace: true })
}

const STATE_LOOKS = { pending: 'warn', active: 'good', suspended: 'bad' } as const

/** Satellites with what an operator can do about them. */
export function SatelliteRows({
  satellites,
  withAccount = false,
  none,
  reload,
}: {
  readonly satellites: readonly Satellite[]
  /** Whether they belong to several accounts. */
  readonly withAccount?: boolean
  /** The text when there are none. */
  readonly none: string
  readonly reload: () => Promise<void>
}) {
  return (
    <RowList of={satellites} icon="globe" none={none} isLong>
      {satellite => (
        <li key={satellite.id}>
          <div>
            <strong>{satellite.origin}</strong> <Tags satellite={satellite} />
            <br />
            <small>
              {withAccount && (
                <>
                  <AccountLink id={satellite.accountId} name={satellite.accountName ?? null} />
                  {' · '}
                </>
              )}
              {satellite.name} · <T id="console.satellites.added" ago={<Ago at={satellite.createdAt} />} />
              <Troubles satellite={satellite} />
            </small>
          </div>
          <Changes satellite={satellite} reload={reload} />
        </li>
      )}
    </RowList>
  )
}

function Tags({ satellite: { state, kind } }: { readonly satellite: Satellite }) {
  return (
    <span className="tags">
      <span className={`tag ${STATE_LOOKS[state]}`}>{t(`console.satelliteState.${state}`)}</span>
      {kind === 'preview' && <span className="tag">{t('console.satellites.preview')}</span>}
    </span>
  )
}

function Troubles({ satellite: { suspendedBy, failingSince } }: { readonly satellite: Satellite }) {
  return (
    <>
      {suspendedBy && ` · ${t(`console.suspendedBy.${suspendedBy}`)}`}
      {failingSince && (
        <>
          {' · '}
          <T id="console.satellites.noProof" day={<Day at={failingSince} />} />
        </>
      )}
    </>
  )
}

interface ChangeProps {
  readonly satellite: Satellite
  readonly reload: () => Promise<void>
}

/** An operator can also take over a suspension that the account could end itself. */
function Changes({ satellite, reload }: ChangeProps) {
  const { state, suspendedBy } = satellite
  if (state === 'pending') return null
  return (
    <div className="actions">
      {suspendedBy !== 'operator' && <Suspend satellite={satellite} reload={reload} />}
      {state === 'suspended' && <Resume satellite={satellite} reload={reload} />}
    </div>
  )
}

function Suspend({ satellite: { id, origin }, reload }: ChangeProps) {
  return (
    <ChangeButton
      name={t('console.satellites.suspend')}
      label={t('console.satellites.suspendLabel', { origin })}
      question={t('console.satellites.suspendQuestion', { origin })}
      path={`satellites/${id}/suspend`}
      said={t('console.satellites.suspended', { origin })}
      done={reload}
    >
      <p>{t('console.satellites.suspendMeans')}</p>
    </ChangeButton>
  )
}

function Resume({ satellite: { id, origin, suspendedBy }, reload }: ChangeProps) {
  return (
    <ChangeButton
      name={t('console.satellites.resume')}
      label={t('console.satellites.resumeLabel', { origin })}
      question={t('console.satellites.resumeQuestion', { origin })}
      path={`satellites/${id}/resume`}
      said={t('console.satellites.resumed', { origin })}
      done={reload}
    >
      {suspendedBy && <p>{t(`console.satellites.whose.${suspendedBy}`)}</p>}
      <p>{t('console.satellites.resumeMeans')}</p>
    </ChangeButton>
  )
}
