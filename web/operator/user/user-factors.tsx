import { Fact } from '../../pieces/fact.js'
import { Hint } from '../../pieces/notices/notice.js'
import { Section } from '../../pieces/page.js'
import { Day, When } from '../../pieces/time/when.js'
import { ChangeButton } from '../change-button.js'
import { T, t } from '../language.js'
import type { PersonProps } from './person-props.js'

export function UserFactors({ person, reload }: PersonProps) {
  const { mustEnrol, resetAt, factors } = person
  const { totpConfirmedAt, passkeys, recoveryCodesLeft } = factors
  return (
    <Section title={t('console.factors.title')}>
      {mustEnrol && <Hint>{t('console.factors.mustEnrol')}</Hint>}
      {resetAt && (
        <Hint>
          <T id="console.factors.pending" when={<When at={resetAt} />} />
        </Hint>
      )}
      <dl>
        <Fact name={t('console.factors.app')}>
          {totpConfirmedAt ? (
            <T id="console.since" day={<Day at={totpConfirmedAt} />} />
          ) : (
            <span className="absent">{t('console.factors.none')}</span>
          )}
        </Fact>
        <Fact name={t('passkeys.title')}>
          {passkeys === 0 ? <span className="absent">{t('console.factors.none')}</span> : passkeys}
        </Fact>
        <Fact name={t('console.factors.codes')}>
          {recoveryCodesLeft === 0 ? (
            <span className="absent">{t('console.factors.none')}</span>
          ) : (
            t('console.factors.codesLeft', { left: recoveryCodesLeft })
          )}
        </Fact>
      </dl>
      <Reset person={person} reload={reload} />
    </Section>
  )
}

/** A button to request a reset, or to cancel the pending one. */
function Reset({ person, reload }: PersonProps) {
  const { id, email, hasSecondFactor, disabledAt, disabledBy, resetAt } = person
  if (resetAt)
    return (
      <div className="actions">
        <ChangeButton
          name={t('console.factors.keep')}
          question={t('console.factors.keepQuestion', { email })}
          path={`users/${id}/factors/reset/cancel`}
          said={t('console.factors.kept')}
          done={reload}
        />
      </div>
    )
  if (!hasSecondFactor || (disabledAt && disabledBy !== 'operator')) return null
  return (
    <div className="actions">
      <ChangeButton
        name={t('console.factors.reset')}
        kind="danger"
        question={t('console.factors.resetQuestion', { email })}
        path={`users/${id}/factors/reset`}
        said={t('console.factors.told', { email })}
        done={reload}
      >
        <p>{t('console.factors.resetMeans')}</p>
      </ChangeButton>
    </div>
  )
}
