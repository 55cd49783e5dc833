package assay.device

import assay.device.KeyStoreFailure.Companion.ERROR_ATTESTATION_KEYS_UNAVAILABLE
import assay.device.KeyStoreFailure.Companion.ERROR_DEVICE_REQUIRES_UPGRADE_FOR_ATTESTATION
import assay.device.KeyStoreFailure.Companion.ERROR_ID_ATTESTATION_FAILURE
import assay.device.KeyStoreFailure.Companion.ERROR_KEY_CORRUPTED
import assay.device.KeyStoreFailure.Companion.ERROR_KEY_DOES_NOT_EXIST
import assay.device.KeyStoreFailure.Companion.ERROR_KEY_NOT_TEMPORALLY_VALID
import assay.device.KeyStoreFailure.Companion.ERROR_KEY_OPERATION_EXPIRED
import assay.device.KeyStoreFailure.Companion.ERROR_USER_AUTHENTICATION_REQUIRED
import assay.device.KeyStoreFailure.Companion.RETRY_AFTER_NEXT_REBOOT
import assay.device.KeyStoreFailure.Companion.RETRY_WHEN_CONNECTIVITY_AVAILABLE
import assay.device.KeyStoreFailure.Kind

/** What follows a failure of Keystore. [problem] is what the app hears if it comes to that. */
internal class KeyStoreDecision(val step: Step, val problem: Problem) {
    enum class Step {
        /** The same operation once more, after some milliseconds. */
        AGAIN,

        /** The key in the TEE. */
        WITHOUT_STRONGBOX,

        /** The key without the device's properties. */
        WITHOUT_PROPERTIES,

        /** The key is lost: another one. */
        NEW_KEY,

        /** Not now. */
        LATER,

        /** Not on this device, as it is today. */
        IMPOSSIBLE,
    }

    companion object {
        /** After a failure of `generateKeyPair`. */
        fun generating(failure: KeyStoreFailure, request: KeyRequest, box: StrongBox): KeyStoreDecision {
            val details = failure.details
            return when {
                failure.kind == Kind.STRONGBOX_UNAVAILABLE -> noAttestation(request, box)
                details?.code == ERROR_ID_ATTESTATION_FAILURE && request.withDeviceProperties ->
                    KeyStoreDecision(Step.WITHOUT_PROPERTIES, Problem.CANNOT_ATTEST)
                failure.kind == Kind.TIMED_OUT -> KeyStoreDecision(Step.LATER, Problem.KEYSTORE_FAILED)
                else -> passing(failure) ?: when {
                    details == null -> unknown(request, box)
                    details.isTransient -> KeyStoreDecision(
                        Step.LATER,
                        if (details.code == ERROR_ATTESTATION_KEYS_UNAVAILABLE) Problem.PROVISIONING_LATER else Problem.KEYSTORE_FAILED,
                    )
                    else -> noAttestation(request, box)
                }
            }
        }

        /** After a failure of `getKey` or `sign`. */
        fun signing(failure: KeyStoreFailure): KeyStoreDecision {
            val details = failure.details
            val isLost = failure.kind == Kind.KEY_MISSING || failure.kind == Kind.KEY_UNUSABLE ||
                details?.code == ERROR_KEY_DOES_NOT_EXIST || details?.code == ERROR_KEY_CORRUPTED ||
                details?.code == ERROR_KEY_NOT_TEMPORALLY_VALID
            if (isLost) return KeyStoreDecision(Step.NEW_KEY, Problem.KEYSTORE_FAILED)
            passing(failure)?.let { return it }
            // A permanent failure of the key, not of the system, "likely requires creating another key" (KeyStoreException).
            val isOfKey = details != null && !details.isTransient && !details.isSystemError
            return KeyStoreDecision(if (isOfKey) Step.NEW_KEY else Step.LATER, Problem.KEYSTORE_FAILED)
        }

        /** What has the same meaning in both: the user, too many operations, and what needs a network or a restart. */
        private fun passing(failure: KeyStoreFailure): KeyStoreDecision? {
            val details = failure.details
            return when {
                failure.kind == Kind.USER_NOT_AUTHENTICATED || details?.requiresUserAuthentication == true ||
                    details?.code == ERROR_USER_AUTHENTICATION_REQUIRED -> KeyStoreDecision(Step.LATER, Problem.UNLOCK_NEEDED)
                failure.kind == Kind.BACKEND_BUSY || details?.code == ERROR_KEY_OPERATION_EXPIRED ->
                    KeyStoreDecision(Step.AGAIN, Problem.KEYSTORE_BUSY)
                details?.code == ERROR_DEVICE_REQUIRES_UPGRADE_FOR_ATTESTATION ||
                    details?.isTransient == true && details.retryPolicy == RETRY_AFTER_NEXT_REBOOT ->
                    KeyStoreDecision(Step.LATER, Problem.SYSTEM_UPDATE_NEEDED)
                details?.isTransient == true && details.retryPolicy == RETRY_WHEN_CONNECTIVITY_AVAILABLE ->
                    KeyStoreDecision(Step.LATER, Problem.PROVISIONING_OFFLINE)
                else -> null
            }
        }

        /** For good, as far as Keystore says: refused attestation keys, a chain without an attestation, what is not implemented. */
        fun noAttestation(request: KeyRequest, box: StrongBox): KeyStoreDecision = when {
            request.inStrongBox && box == StrongBox.PREFER -> KeyStoreDecision(Step.WITHOUT_STRONGBOX, Problem.CANNOT_ATTEST)
            request.inStrongBox -> KeyStoreDecision(Step.IMPOSSIBLE, Problem.STRONGBOX_MISSING)
            else -> KeyStoreDecision(Step.IMPOSSIBLE, Problem.CANNOT_ATTEST)
        }

        /** Before Android 13 a `ProviderException` does not say whether it passes. */
        private fun unknown(request: KeyRequest, box: StrongBox): KeyStoreDecision =
            if (request.inStrongBox && box == StrongBox.PREFER) KeyStoreDecision(Step.WITHOUT_STRONGBOX, Problem.KEYSTORE_FAILED)
            else KeyStoreDecision(Step.LATER, Problem.KEYSTORE_FAILED)
    }
}

/** Chains of keystores that are broken. What else may be wrong is the daemon's to say: it reads certificates, this does not. */
internal object AttestationChain {
    /** The daemon's limit for a chain. */
    private const val LARGEST = 64 * 1024

    /** Why this is no chain of a key that was attested over [clientData]; null if it may be one. */
    fun fault(chain: List<ByteArray>?, clientData: ByteArray): String? = when {
        chain == null -> "Keystore has no certificate chain for the new key"
        chain.size < 2 -> "the chain ends after ${chain.size} certificates: Keystore did not attest the key"
        chain.any { it.isEmpty() } -> "a certificate of the chain is empty"
        chain.sumOf { it.size } > LARGEST -> "the chain has ${chain.sumOf { it.size }} bytes"
        !contains(chain[0], clientData) -> "the key's certificate does not contain the attestation challenge"
        else -> null
    }

    private fun contains(whole: ByteArray, part: ByteArray): Boolean =
        (0..whole.size - part.size).any { start -> part.indices.all { whole[start + it] == part[it] } }
}
