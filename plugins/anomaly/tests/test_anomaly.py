"""Verdicts go in, flags and metrics come out. Run by plugins/sdk/tests/suite.py --more."""
import os

import suite
from host import CallFailed, Host
from messages import messages
from world import World

NOW_MS = 1_764_579_600_000
DAYS_MS = 24 * 3600 * 1000
DEVICE, OTHER_DEVICE = bytes(range(16)), bytes(range(16, 32))
KEY, OTHER_KEY, ADDRESS, SUBJECT = (bytes([number]) * 32 for number in range(4))


def event(at_ms=0, app=b"app", accepted=True, device=DEVICE, **more):
    return messages.VerdictEvent(
        request_id=os.urandom(16), app=app, caller=b"caller", accepted=accepted, device_id=device, decided_at_unix_ms=NOW_MS + at_ms,
        purpose=messages.PURPOSE_ASSERT, formats=[b"key-signature"], **more)


class AnomalyTests(suite.PluginTestCase):
    def observer(self, **configuration):
        host = Host(self.command, World(), sandbox=self.sandbox)
        self.addCleanup(host.__exit__)
        description = host.describe()
        self.assertTrue(description.observes and not description.formats)
        self.assertEqual([messages.HOST_SERVICE_FLAG_DEVICE], list(description.host_services))
        self.assertEqual([], list(host.configure(configuration)))
        return host

    def show(self, host, *events, dropped=0):
        """The flags of these verdicts, without the times."""
        host.world.flags.clear()
        host.call("Observe", messages.ObserveRequest(events=events, dropped=dropped, call_token=os.urandom(16)))
        return [(app, device, flag) for app, device, flag, _, _ in host.world.flags]

    def metrics(self, host):
        host.ping()
        return {name.decode(): value for name, value in host.world.metrics.items()}

    # MARK: Models

    def test_flags_a_key_that_is_seen_with_a_second_model(self):
        host = self.observer()
        self.assertEqual([], self.show(host, event(key_id=KEY, model=b"Pixel 8"), event(key_id=KEY, model=b"Pixel 8")))
        self.assertEqual([], self.show(host, event(key_id=OTHER_KEY, model=b"Pixel 9"), event(key_id=KEY), event(model=b"Pixel 7")))
        self.assertEqual([(b"app", OTHER_DEVICE, "key_with_many_models")], self.show(host, event(key_id=KEY, model=b"Pixel 9", device=OTHER_DEVICE)))

    def test_keys_and_devices_of_two_apps_never_meet(self):
        host = self.observer()
        more = {"key_id": KEY, "os_patch_level": 202408, "counter": 1}
        self.assertEqual([], self.show(host, event(model=b"a", **more), event(app=b"other", model=b"b", key_id=KEY, os_patch_level=202401, counter=5000)))

    # MARK: Patch levels

    def test_flags_a_patch_level_that_goes_back(self):
        host = self.observer()
        self.assertEqual([], self.show(host, event(os_patch_level=202407), event(os_patch_level=202408), event(os_patch_level=202408), event()))
        self.assertEqual([(b"app", DEVICE, "patch_level_back")], self.show(host, event(os_patch_level=202401)))
        self.assertEqual("the OS patch level went from 202408 back to 202401", host.world.flags[0][3])
        self.assertEqual([], self.show(host, event(os_patch_level=202401, device=OTHER_DEVICE)))

    # MARK: Counters

    def test_flags_a_gap_above_1000_and_none_of_1000(self):
        host = self.observer()
        self.assertEqual([], self.show(host, event(counter=5), event(counter=1005)))
        self.assertEqual([(b"app", DEVICE, "counter_gap")], self.show(host, event(counter=2006)))
        self.assertEqual("the counter went from 1005 to 2006, by more than 1000", host.world.flags[0][3])

    def test_the_first_counter_and_those_in_another_order_are_no_gap(self):
        host = self.observer()
        self.assertEqual([], self.show(host, event(counter=4_000_000_000), event(counter=3), event(counter=4_000_000_900)))

    def test_a_gap_is_what_the_configuration_says(self):
        host = self.observer(counter_gap=10)
        self.assertEqual([], self.show(host, event(counter=1), event(counter=11)))
        self.assertEqual([(b"app", DEVICE, "counter_gap")], self.show(host, event(counter=22)))

    # MARK: Bursts

    def test_flags_more_than_the_count_at_a_time_and_not_the_count(self):
        for member, flag in (("address", "burst_address"), ("subject", "burst_subject")):
            host = self.observer(burst_count=5, burst_seconds=10)
            self.assertEqual([], self.show(host, *(event(**{member: ADDRESS}) for _ in range(5))))
            self.assertEqual([], self.show(host, event(**{member: SUBJECT})))
            self.assertEqual([(b"app", DEVICE, flag)], self.show(host, event(**{member: ADDRESS})))

    def test_verdicts_at_the_pace_are_no_burst_and_a_burst_ends(self):
        host = self.observer(burst_count=5, burst_seconds=10)
        self.assertEqual([], self.show(host, *(event(2000 * number, address=ADDRESS) for number in range(50))))
        self.assertEqual([(b"app", DEVICE, "burst_address")], self.show(host, *(event(98_000, address=ADDRESS) for _ in range(5))))
        self.assertEqual([], self.show(host, *(event(200_000, address=ADDRESS, device=OTHER_DEVICE) for _ in range(5))))

    def test_rejections_count_for_bursts_and_for_nothing_else(self):
        host = self.observer(burst_count=2, burst_seconds=10)
        rejected = {"accepted": False, "address": ADDRESS, "device": b"", "counter": 9000, "os_patch_level": 202401, "key_id": KEY, "model": b"x"}
        self.assertEqual([], self.show(host, *(event(**rejected) for _ in range(3))))
        self.assertEqual({"burst_address": 1}, self.metrics(host))
        self.assertEqual([], self.show(host, event(counter=1, os_patch_level=202408, key_id=KEY, model=b"y")))

    def test_a_stored_answer_says_nothing_new(self):
        host = self.observer(burst_count=1, burst_seconds=10)
        self.assertEqual([], self.show(host, *(event(address=ADDRESS, repeated_answer=True) for _ in range(10))))

    # MARK: Flags

    def test_a_flag_stands_for_the_configured_days_and_is_not_told_again_at_once(self):
        host = self.observer(flag_days=10)
        self.show(host, event(os_patch_level=202408), event(os_patch_level=202401))
        self.assertEqual(NOW_MS + 10 * DAYS_MS, host.world.flags[0][4])
        self.assertEqual([], self.show(host, event(5 * DAYS_MS - 1, os_patch_level=202401)))
        self.assertEqual([(b"app", DEVICE, "patch_level_back")], self.show(host, event(5 * DAYS_MS, os_patch_level=202401)))

    def test_a_flag_that_the_host_does_not_take_is_told_again(self):
        host = self.observer()
        host.declared.clear()
        with self.assertRaises(CallFailed):
            self.show(host, event(os_patch_level=202408), event(os_patch_level=202401))
        host.declared.add(messages.HOST_SERVICE_FLAG_DEVICE)
        self.assertEqual([(b"app", DEVICE, "patch_level_back")], self.show(host, event(os_patch_level=202401)))

    def test_counts_without_flags_as_configured(self):
        host = self.observer(flags=False)
        self.assertEqual([], self.show(host, event(os_patch_level=202408), event(os_patch_level=202401), event(os_patch_level=202401)))
        self.assertEqual(1, self.metrics(host)["patch_level_back"])

    # MARK: Bounds

    def test_memory_is_bounded_and_what_was_forgotten_is_counted(self):
        host = self.observer(tracked=100)
        for first in range(0, 300, 60):
            events = [event(device=number.to_bytes(16, "big"), counter=1) for number in range(first, first + 60)]
            self.assertEqual([], self.show(host, *events, dropped=2))
        self.assertEqual({"forgotten": 200, "dropped": 10}, self.metrics(host))
        # Device 0 is forgotten, device 299 is not.
        self.assertEqual([], self.show(host, event(device=bytes(16), counter=5000)))
        last = (299).to_bytes(16, "big")
        self.assertEqual([(b"app", last, "counter_gap")], self.show(host, event(device=last, counter=5000)))

    def test_a_wrong_configuration_is_told_with_its_places(self):
        host = Host(self.command, World(), sandbox=self.sandbox)
        self.addCleanup(host.__exit__)
        host.describe()
        for wrong in ({"counter_gap": 0}, {"burst_count": 0}, {"burst_seconds": 86_401}, {"flag_days": 400}, {"tracked": 99}, {"tracked": "1000"}):
            self.assertEqual(list(wrong), [problem.path for problem in host.validate(wrong)], wrong)
