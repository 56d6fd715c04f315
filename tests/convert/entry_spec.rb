require 'spec_helper'

describe 'cache::entry' do
  let(:title) { 'one' }
  let(:facts) { on_supported_os['redhat-9-x86_64'].merge(datacenter: 'fra1') }
  let(:pre_condition) do
    <<~PUPPET
      notify { 'before': }
    PUPPET
  end

  %w[text other].each do |value|
    context "with #{value}" do
      let(:params) { { value: value } }

      it { is_expected.to contain_file('/var/cache/one').with_content(value) }
      it { is_expected.to contain_notify('before') }
    end
  end

  describe 'a number' do
    let(:params) { { value: 5 } }
    let(:title) { 'two' }

    it { is_expected.to contain_file('/var/cache/two').with('content' => '5') }
  end

  on_supported_os.each do |os, os_facts|
    context "on #{os} with Facter 4 and Puppet 7" do
      let(:facts) { os_facts }
      let(:params) { { value: 'on' } }

      it { is_expected.to contain_file('/var/cache/one').with_content('on') }
    end
  end

  describe 'nothing' do
    it { is_expected.to raise_error(/expects a value for parameter 'value'/) }
  end
end
