import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { Hint, Warning } from '../../../../pieces/notices/notice.js'
import { When } from '../../../../pieces/time/when.js'
import type { SecondFactor } from '../../../answers.js'

/** What the account requires of the user, and by when. */
export function Requirement({ state }: { readonly state: SecondFactor }) {
  const { required, requiredFrom, mustEnrol, totp, passkeys } = state
  const hasOne = totp !== null || passkeys > 0
  if (mustEnrol) return <Warning>{t('requirement.late')}</Warning>
  if (required && hasOne) return <Hint>{t('requirement.met')}</Hint>
  if (required)
    return (
      <Warning isMild>
        {requiredFrom ? <T id="requirement.from" date={<When at={requiredFrom} />} /> : t('requirement.now')}
      </Warning>
    )
  if (hasOne) return null
  return <Hint>{t('requirement.advice')}</Hint>
}
