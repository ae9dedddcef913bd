import { useState } from 'react'
import { RadioChoice, SelectField } from '../../../pieces/forms/choice.js'
import { Field } from '../../../pieces/forms/field.js'
import { Form, type Texts } from '../../../pieces/forms/form.js'
import { t } from '../../../pieces/language/t.js'
import { T } from '../../../pieces/language/text.js'
import type { Load } from '../../../pieces/loading/use-load.js'
import { Loaded } from '../../../pieces/loading/waiting.js'
import { toast } from '../../../pieces/notices/toasts.js'
import { When } from '../../../pieces/time/when.js'
import type { SecondFactorPolicy as Policy } from '../../answers.js'
import { call } from '../../api.js'

const covered = () => [
  { value: 'off', name: t('policy.off') },
  { value: 'payments', name: t('policy.payments') },
  {
    value: 'managers',
    name: t('policy.managers'),
    hint: t('policy.managersHint'),
  },
  { value: 'everyone', name: t('policy.everyone') },
]
/** In minutes; empty means never. Short enough to be fully readable on a phone. */
const recent = () => [
  { value: '', name: t('policy.stepUpNo') },
  { value: '5', name: t('policy.stepUp5') },
  { value: '15', name: t('policy.stepUp15') },
  { value: '60', name: t('policy.stepUp60') },
  { value: '480', name: t('policy.stepUp480') },
]
const MOST_GRACE_DAYS = 90

/** Who in the account must have a second factor, and what payments require. */
export function SecondFactorPolicy({ of: policy }: { readonly of: Load<Policy> }) {
  return <Loaded of={policy}>{loaded => <PolicyForm policy={loaded} load={policy} />}</Loaded>
}

function PolicyForm({ policy, load }: { readonly policy: Policy; readonly load: Load<Policy> }) {
  const { required, paymentStepUpMinutes } = policy
  const [chosen, setChosen] = useState<string>(required)
  const save = async ({ required, graceDays, paymentStepUpMinutes }: Texts) => {
    await call('PUT', 'account/second-factor', {
      required,
      ...(graceDays && { graceDays: Number(graceDays) }),
      paymentStepUpMinutes: paymentStepUpMinutes ? Number(paymentStepUpMinutes) : null,
    })
    await load.reload()
    toast(t('common.saved'))
  }
  const isChanged = chosen !== required
  return (
    <>
      <Standing policy={policy} />
      <Form submit={t('common.save')} send={save}>
        <RadioChoice
          label={t('policy.who')}
          name="required"
          options={covered()}
          chosen={required}
          onChoose={setChosen}
        />
        {chosen !== 'off' && (
          <Field
            key={String(isChanged)}
            label={t('policy.days')}
            name="graceDays"
            type="number"
            inputMode="numeric"
            min={0}
            max={MOST_GRACE_DAYS}
            defaultValue={isChanged ? '14' : ''}
            hint={isChanged ? t('policy.daysHint') : t('policy.daysKeep')}
          />
        )}
        <SelectField
          label={t('policy.stepUp')}
          name="paymentStepUpMinutes"
          options={recencies(paymentStepUpMinutes)}
          chosen={String(paymentStepUpMinutes ?? '')}
          hint={t('policy.stepUpHint')}
        />
      </Form>
    </>
  )
}

function Standing({ policy: { required, requiredFrom, covered, enrolled } }: { readonly policy: Policy }) {
  if (required === 'off') return null
  return (
    <p>
      {t('policy.standing', { enrolled, covered })}
      {requiredFrom && (
        <>
          {' '}
          <T
            id={new Date(requiredFrom) > new Date() ? 'policy.requiredFrom' : 'policy.requiredSince'}
            date={<When at={requiredFrom} />}
          />
        </>
      )}
    </p>
  )
}

/** Includes the current value, if it is not one of ours. */
function recencies(minutes: number | null) {
  const isKnown = recent().some(({ value }) => value === String(minutes ?? ''))
  return isKnown
    ? recent()
    : [...recent(), { value: String(minutes), name: t('policy.stepUpOther', { minutes: String(minutes) }) }]
}
