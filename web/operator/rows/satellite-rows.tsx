import { Ago, Day } from '../../pieces/time/when.js'
import type { Satellite } from '../answers.js'
import { ChangeButton } from '../change-button.js'
import { T, t } from '../language.js'
import { AccountLink } from './account-link.js'
import { RowList } from './row-list.js'

const LOOKS = { pending: 'warn', active: 'good', suspended: 'bad' } as const

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
      <span className={`tag ${LOOKS[state]}`}>{t(`console.satelliteState.${state}`)}</span>
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
