package android.security.keystore;

import java.security.spec.AlgorithmParameterSpec;

/** Stub: keeps what the builder was told. */
public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
    private final Builder told;

    private KeyGenParameterSpec(Builder told) {
        this.told = told;
    }

    public String getKeystoreAlias() {
        return told.alias;
    }

    public int getPurposes() {
        return told.purposes;
    }

    public AlgorithmParameterSpec getAlgorithmParameterSpec() {
        return told.spec;
    }

    public String[] getDigests() {
        return told.digests;
    }

    public byte[] getAttestationChallenge() {
        return told.challenge;
    }

    public boolean isStrongBoxBacked() {
        return told.isStrongBoxBacked;
    }

    public boolean isDevicePropertiesAttestationIncluded() {
        return told.withProperties;
    }

    public static final class Builder {
        private final String alias;
        private final int purposes;
        private AlgorithmParameterSpec spec;
        private String[] digests = {};
        private byte[] challenge;
        private boolean isStrongBoxBacked, withProperties;

        public Builder(String keystoreAlias, int purposes) {
            this.alias = keystoreAlias;
            this.purposes = purposes;
        }

        public Builder setAlgorithmParameterSpec(AlgorithmParameterSpec spec) {
            this.spec = spec;
            return this;
        }

        public Builder setDigests(String... digests) {
            this.digests = digests;
            return this;
        }

        public Builder setAttestationChallenge(byte[] attestationChallenge) {
            this.challenge = attestationChallenge;
            return this;
        }

        public Builder setIsStrongBoxBacked(boolean isStrongBoxBacked) {
            this.isStrongBoxBacked = isStrongBoxBacked;
            return this;
        }

        public Builder setDevicePropertiesAttestationIncluded(boolean devicePropertiesAttestationIncluded) {
            this.withProperties = devicePropertiesAttestationIncluded;
            return this;
        }

        public KeyGenParameterSpec build() {
            return new KeyGenParameterSpec(this);
        }
    }
}
