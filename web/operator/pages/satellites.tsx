import { ActionRow } from '../../pieces/forms/action-row.js'
import { SearchField } from '../../pieces/forms/search-field.js'
import { usePages } from '../../pieces/loading/use-pages.js'
import { Loaded } from '../../pieces/loading/waiting.js'
import { Page, Section } from '../../pieces/page.js'
import { go, usePlace } from '../../pieces/router.js'
import type { Satellite } from '../answers.js'
import { ask } from '../api.js'
import { t } from '../language.js'
import { SatelliteRows } from '../rows/satellite-rows.js'
import { StateFilter } from '../state-filter.js'

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
